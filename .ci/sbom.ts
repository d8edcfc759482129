type Package = {
  version: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
};

/**
 * What is inside the executable, as CycloneDX 1.5: the packages that the lock file wants at run time,
 * and Bun. Without a time or a serial number, so that the same source gives the same file.
 */
export async function billOfMaterials(root: string): Promise<string> {
  const { name, version, license, devDependencies } = await Bun.file(`${root}/package.json`).json();
  const lock = await Bun.file(`${root}/package-lock.json`).json();
  const packages = Object.entries<Package>(lock.packages)
    .filter(([path, { dev, devOptional }]) => path !== "" && !dev && !devOptional)
    .map(([path, each]) => component(path.split("node_modules/").at(-1)!, each));
  const bun = { type: "platform", name: "bun", version: devDependencies.bun, ...licensed("MIT") };
  const product = { type: "application", name, version, ...licensed(license) };
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: product },
    components: [bun, ...packages],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function component(name: string, { version, integrity, license }: Package) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    ...licensed(license),
    purl,
    ...(integrity?.startsWith("sha512-") && {
      hashes: [
        { alg: "SHA-512", content: Buffer.from(integrity.slice(7), "base64").toString("hex") },
      ],
    }),
  };
}

const licensed = (expression?: string) => (expression ? { licenses: [{ expression }] } : {});
