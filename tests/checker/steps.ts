/**
 * How many characters and elements are looked at while `work` runs. The built-in functions that look at them
 * count, so that the code that is measured need not.
 */
export function stepsOf(work: () => void): number {
  const { charCodeAt, indexOf } = String.prototype;
  const { pop, indexOf: placeOf, unshift } = Array.prototype;
  const { exec } = RegExp.prototype;
  let steps = 0;
  String.prototype.charCodeAt = function (at) {
    steps += 1;
    return charCodeAt.call(this, at);
  };
  String.prototype.indexOf = function (sign, from = 0) {
    const at = indexOf.call(this, sign, from);
    steps += (at < 0 ? this.length : at + 1) - from;
    return at;
  };
  Array.prototype.pop = function () {
    steps += 1;
    return pop.call(this);
  };
  Array.prototype.indexOf = function (item, from = 0) {
    const at = placeOf.call(this, item, from);
    steps += (at < 0 ? this.length : at + 1) - from;
    return at;
  };
  Array.prototype.unshift = function (...items) {
    steps += this.length;
    return unshift.apply(this, items);
  };
  RegExp.prototype.exec = function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    steps += (found ? found.index + found[0].length : text.length) - from;
    return found;
  };
  try {
    work();
    return steps;
  } finally {
    String.prototype.charCodeAt = charCodeAt;
    String.prototype.indexOf = indexOf;
    Array.prototype.pop = pop;
    Array.prototype.indexOf = placeOf;
    Array.prototype.unshift = unshift;
    RegExp.prototype.exec = exec;
  }
}
