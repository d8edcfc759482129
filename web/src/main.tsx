import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { Root } from "./app.tsx";
import { addBaseToElements } from "./data/base.ts";
import { createQueryClient } from "./data/query-client.ts";
import { AddressProvider } from "./frame/address.tsx";

addBaseToElements();
const client = createQueryClient();

// In a task of its own, so that a slow device can react between the two.
setTimeout(() =>
  render(
    <QueryClientProvider client={client}>
      <AddressProvider>
        <Root />
      </AddressProvider>
    </QueryClientProvider>,
    document.getElementById("app")!,
  ),
);
