// The page works without this script, which opens the contents on wide screens, filters them, and copies examples.

const contents = document.querySelector(".contents");
const search = contents.querySelector("input");
const wide = matchMedia("(min-width: 64rem)");

const openWhenWide = () => {
  contents.open = wide.matches;
};
openWhenWide();
wide.addEventListener("change", openWhenWide);

search.hidden = false;
search.addEventListener("input", () => {
  const wanted = search.value.trim().toLowerCase();
  for (const item of contents.querySelectorAll("li")) {
    const text = `${item.dataset.find ?? ""} ${item.textContent}`.toLowerCase();
    item.hidden = !text.includes(wanted);
  }
});

contents.addEventListener("click", (event) => {
  if (event.target.closest("a") && !wide.matches) contents.open = false;
});

/** Opens the details that the location links to. */
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
openTarget();
addEventListener("hashchange", openTarget);

// Browsers have no clipboard for pages on plain HTTP.
const copyable = navigator.clipboard ? document.querySelectorAll("pre") : [];
for (const block of copyable) {
  const text = block.textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  block.append(button);
}
