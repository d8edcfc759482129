export { default as PageOfSource } from "./page.tsx";
export { default as Source } from "./source.tsx";
export { default as Sources } from "./sources.tsx";
