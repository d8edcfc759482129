import { useQuery } from "@tanstack/preact-query";
import { api, ask } from "./api.ts";

/** The services that links are filed under; they change with the program only. */
const useServices = () =>
  useQuery({
    queryKey: ["services"],
    queryFn: () => ask(api.services.get()),
    select: ({ items }) => items,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** By name; empty until they are known. */
export const useServicesByName = () =>
  [...(useServices().data ?? [])].sort((a, b) => a.name.localeCompare(b.name));

/** What people call a service; its id until that is known. */
export const useServiceName = (id: string) =>
  useServices().data?.find((service) => service.id === id)?.name ?? id;
