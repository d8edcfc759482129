/** Where a program listens, once it has said so; throws with all its output when it ends without. */
export async function listeningUrl(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk);
    const url = /listening on (http:[^\s"]+)/.exec(text)?.[1];
    if (url) return url;
  }
  throw new Error(`It did not start: ${text}`);
}
