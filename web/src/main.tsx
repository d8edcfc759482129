import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { Root } from "./app.tsx";
import { createQueryClient } from "./data/query-client.ts";

const client = createQueryClient();

render(
  <QueryClientProvider client={client}>
    <LocationProvider>
      <Root />
    </LocationProvider>
  </QueryClientProvider>,
  document.getElementById("app")!,
);
