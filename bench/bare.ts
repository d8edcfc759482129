import { Elysia } from "elysia";

/** The measure of the others: an Elysia route that returns the JSON it was given, and nothing else. */
const reply = JSON.parse(process.argv[2]!);
const app = new Elysia().get("/", () => reply).listen({ port: 0, hostname: "127.0.0.1" });
console.log(`listening on http://127.0.0.1:${app.server!.port}`);
