/** Part of a document as written, or with other text, as the value of an attribute stands for `{name}`. */
export type Piece = { text: string; from: number; to: number; isReplaced?: true };

/** Text joined from pieces of a document, with the way back to their places. */
export type Joined = { text: string; starts: number[]; pieces: Piece[] };

export function join(pieces: Piece[], separator = ""): Joined {
  const starts: number[] = [];
  let length = 0;
  for (const { text } of pieces) {
    starts.push(length);
    length += text.length + separator.length;
  }
  return { text: pieces.map(({ text }) => text).join(separator), starts, pieces };
}

/** Where a text stands in the document, and where its part in the first piece ends. */
export type Place = { from: number; to: number; firstTo: number };

/** Finds the text from `start` to `end`, which is not empty. */
export function placeIn(joined: Joined, start: number, end: number): Place {
  const [first, at] = pieceAt(joined, start);
  const [last, until] = pieceAt(joined, end - 1);
  const to = last.isReplaced ? last.to : Math.min(last.from + until + 1, last.to);
  return {
    from: first.isReplaced ? first.from : Math.min(first.from + at, first.to),
    to,
    firstTo: first === last ? to : first.to,
  };
}

function pieceAt({ starts, pieces }: Joined, index: number): [piece: Piece, at: number] {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= index) low = middle;
    else high = middle - 1;
  }
  return [pieces[low]!, index - starts[low]!];
}
