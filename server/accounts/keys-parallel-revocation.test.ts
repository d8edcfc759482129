import { expect, test } from "bun:test";
import { onBothEngines } from "../../tests/harness.ts";
import { addKey } from "../../tests/keys/asking.ts";
import { authenticate } from "./doors.ts";

const NOWHERE = () => null;

onBothEngines("a key that is revoked while it is looked up", (server) => {
  test("is refused from then on, whatever other request comes in between", async () => {
    const me = await server().account();
    const { deps } = server();
    const answers: string[] = [];

    for (const ticks of Array(12).keys()) {
      const [doomed, other] = [await addKey(server(), me), await addKey(server(), me)];
      const first = authenticate(deps, `Bearer ${doomed.key}`, NOWHERE).catch(() => {});
      for (let i = 0; i < ticks; i++) await null;
      const revoking = deps.store.engine.run({
        sql: "update api_keys set revoked_at = ? where id = ?",
        params: [deps.clock.now(), doomed.id],
      });
      const second = authenticate(deps, `Bearer ${other.key}`, NOWHERE);
      await Promise.all([first, revoking, second]);
      const again = authenticate(deps, `Bearer ${doomed.key}`, NOWHERE);
      answers.push(await again.then(() => "accepted").catch(({ code }) => code));
      await Promise.all([doomed, other].map(({ id }) => me.delete(`/api/v1/keys/${id}`)));
    }

    expect(new Set(answers)).toEqual(new Set(["REVOKED_API_KEY"]));
  });
});
