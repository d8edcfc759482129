import { useServicesByName } from "../lib/services.ts";

type ServiceSelectProps = { chosen: string; onChange: (id: string) => void };

/** Which service's links are shown. An id that is not known, as in an old address, stays to be seen. */
export function ServiceSelect({ chosen, onChange }: ServiceSelectProps) {
  const services = useServicesByName();
  const isStrange = chosen !== "" && !services.some(({ id }) => id === chosen);
  return (
    <select aria-label="Service" onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="" selected={chosen === ""}>
        All services
      </option>
      {isStrange && (
        <option value={chosen} selected>
          {chosen}
        </option>
      )}
      {services.map(({ id, name }) => (
        <option key={id} value={id} selected={id === chosen}>
          {name}
        </option>
      ))}
    </select>
  );
}
