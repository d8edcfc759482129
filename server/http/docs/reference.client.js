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
    item.hidden = !`${item.title} ${item.textContent}`.toLowerCase().includes(wanted);
  }
});

contents.addEventListener("click", (event) => {
  if (event.target.closest("a") && !wide.matches) contents.open = false;
});

// Browsers have no clipboard for pages on plain HTTP.
for (const block of navigator.clipboard ? document.querySelectorAll("pre") : []) {
  const text = block.textContent;
  const button = document.createElement("button");
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
