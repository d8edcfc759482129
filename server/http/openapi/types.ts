/** The parts of JSON Schema (draft 2020-12) that our schemas use. */
export type Schema = {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  [keyword: string]: unknown;
};

export type Reference = { $ref: string };

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};

export type Header = { description: string; required?: boolean; schema: Schema; example?: unknown };

export type Example = { summary: string; value: unknown };

export type Content = {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
};

export type Reply = {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, Content>;
};

export type Body = { required: boolean; content: Record<string, Content> };

export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Reference)[];
  requestBody?: Body;
  responses: Record<string, Reply | Reference>;
};

export type Method = "get" | "post" | "patch" | "delete";

export type PathItem = Partial<Record<Method, Operation>>;

/** The parts of an OpenAPI 3.1 document that we use. */
export type Document = {
  openapi: string;
  info: Record<string, unknown> & { title: string; version: string; description: string };
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    securitySchemes: Record<string, object>;
    schemas: Record<string, Schema>;
    responses: Record<string, Reply>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
  };
};
