import { QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { Root } from "./app.tsx";
import { addBaseToElements } from "./data/base.ts";
import { createQueryClient } from "./data/query-client.ts";
import { AddressProvider } from "./frame/address.tsx";

addBaseToElements();
const client = createQueryClient();

render(
  <QueryClientProvider client={client}>
    <AddressProvider>
      <Root />
    </AddressProvider>
  </QueryClientProvider>,
  document.getElementById("app")!,
);
