import { useLocation } from "preact-iso";
import { useCanWrite } from "../data/session.ts";
import { hrefOfNewSource, sourceAt } from "../data/source-address.ts";
import { STAGE_WORDS } from "../data/words.ts";
import { useAdd } from "../frame/add.tsx";
import { Button } from "../ui/button.tsx";
import { Form, textsIn } from "../ui/field.tsx";

/** The way in, for an account without links. */
export default function NoLinks() {
  const canWrite = useCanWrite();
  return (
    <div class="empty">
      <div class="empty-art" aria-hidden="true">
        {Object.values(STAGE_WORDS).map((stage) => (
          <span key={stage}>
            <i />
            {stage}
          </span>
        ))}
      </div>
      <h1>{canWrite ? "What should stay up?" : "No links yet"}</h1>
      <p>
        {canWrite ? "Enter a site, a sitemap, or a list of links." : "Links appear here."}
        <br />
        Each link is checked within seconds, and you see the evidence.
      </p>
      {canWrite ? <FirstField /> : <p class="hint">Ask an owner or editor to add links.</p>}
    </div>
  );
}

function FirstField() {
  const { open } = useAdd();
  const { route } = useLocation();
  const begin = (text: string) => (sourceAt(text) ? route(hrefOfNewSource(text)) : open({ text }));
  return (
    <>
      <Form class="first" onSubmit={(form) => begin(textsIn(form, "text").text)}>
        <input
          type="text"
          name="text"
          placeholder="A site, a sitemap or a link"
          aria-label="A site, a sitemap or a link"
          autocomplete="off"
        />
        <Button primary type="submit">
          Add
        </Button>
      </Form>
      <p class="hint">
        or paste a list, drop or{" "}
        <label class="first-file">
          choose a file
          <input
            type="file"
            class="unseen"
            onChange={({ currentTarget: { files } }) => files?.[0] && open({ file: files[0] })}
          />
        </label>
        , or <a href="/docs">use the API</a>
      </p>
    </>
  );
}
