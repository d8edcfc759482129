import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { createQueryClient } from "./lib/query-client.ts";
import { Root } from "./pages/root.tsx";

const client = createQueryClient();

render(
  <QueryClientProvider client={client}>
    <LocationProvider>
      <Root />
    </LocationProvider>
  </QueryClientProvider>,
  document.getElementById("app")!,
);
