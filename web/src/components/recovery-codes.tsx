import { Download } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { Copyable } from "./secret.tsx";

/** The codes in the only moment in which they exist in clear. */
export const RecoveryCodes = ({ codes, email }: { codes: string[]; email: string }) => (
  <div class="secret recovery">
    <p class="notice notice-warn">
      Keep these codes where your phone is not. They are not shown again.
    </p>
    <Copyable label="Recovery codes" value={codes.join("\n")} rows={codes.length} />
    <p class="hint">Each signs you in once when you do not have your authenticator app.</p>
    <DownloadText name="stillup-recovery-codes.txt" text={fileOf(codes, email)}>
      Download
    </DownloadText>
  </div>
);

type DownloadTextProps = { name: string; text: string; children: string };

function DownloadText({ name, text, children }: DownloadTextProps) {
  const [href, setHref] = useState("");
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    setHref(url);
    return () => URL.revokeObjectURL(url);
  }, [text]);
  return (
    <a class="button" href={href} download={name}>
      <Download aria-hidden="true" />
      {children}
    </a>
  );
}

const fileOf = (codes: string[], email: string) =>
  [
    `Stillup recovery codes of ${email} at ${location.origin}`,
    "Each works once.",
    "",
    ...codes,
    "",
  ].join("\n");
