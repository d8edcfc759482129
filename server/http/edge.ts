import { type DocumentDecoration, status } from "elysia";
import * as z from "zod";
import type { CursorPage, Page, PageQuery } from "../ground/lib/paging.ts";
import type { Deps, SaveReply } from "../work/deps.ts";
import { makeChange, type Unit } from "../work/unit.ts";
import { type Caller, contextOf } from "./caller.ts";
import { claimKey, storeReply } from "./idempotency.ts";
import { cursorPageOf, data, ErrorReply, pageOf, refusals, toCursorPage, toPage } from "./reply.ts";

type Schema = z.ZodType;
type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** The parameters of a path: `id` of `/links/:id`. */
type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [Each in Name]: string } & ParamsOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [Each in Name]: string }
    : unknown;

/** What a route is asked. */
type Asked<Path extends string, Query extends Schema, Body extends Schema> = {
  caller: Caller;
  params: ParamsOf<Path>;
  query: z.output<Query>;
  body: z.output<Body>;
  request: Request;
};

/** How the document describes a route, and what the doors know of it. */
type About<Query extends Schema = Schema, Body extends Schema = Schema> = Pick<
  Partial<DocumentDecoration>,
  "access" | "bodyLimit" | "writes" | "description" | "tags"
> & {
  /** Its name in the document, which generated clients use. */
  operationId: string;
  summary: string;
  query?: Query;
  body?: Body;
  /** Its errors besides those of all routes, if they are not the usual ones of its method. */
  refuses?: readonly Refusal[];
};

type Refusal = 404 | 409 | 412 | 413 | 415;

type Listing<Item extends Schema, Row> = {
  item: Item;
  toItem: (row: Row, now: number) => z.output<Item>;
};

/** What a route replies with: `reply` is the schema of the `data`, which `toReply` makes of the verb's result. */
type Replying<Reply extends Schema, Result> = {
  reply: Reply;
  /** @param now milliseconds since 1970 */
  toReply: (result: Result, now: number) => z.output<Reply>;
};

/** For results that are replied with as they are. */
export const asIs = <Result>(result: Result): Result => result;

/** What a POST replies, and what is stored of it for an idempotency key. */
type Posting<Reply extends Schema, Result> = Replying<Reply, Result> & {
  /** Whether the reply has a secret: then only the id of the result is stored. */
  isSecret?: boolean;
};

type Creating<Reply extends Schema, Result> = Posting<Reply, Result> & {
  /** The address of what was made. */
  locationOf: (result: Result) => string;
};

/** A verb that opens its own transactions, and calls `save` in the last of them. */
type InSteps<A, Result> = (deps: Deps, asked: A, save: SaveReply<Result>) => Promise<Result>;

type Context = {
  params: unknown;
  query: unknown;
  body: unknown;
  request: Request;
  set: { headers: Record<string, unknown> };
};

/**
 * The routes of callers with an account, as arguments of the framework's methods: `.get(...list("", listKeys, {…}))`. A
 * verb that reads gets the dependencies, one that changes something the open transaction of its change, in which the
 * reply of an idempotency key is stored as well.
 */
export function edge(deps: Deps) {
  const inData = <Reply extends Schema, Result>(
    { toReply }: Replying<Reply, Result>,
    result: Result,
  ) => ({ data: toReply(result, deps.clock.now()) });

  return {
    /** A list in pages. */
    list: <Path extends string, Query extends z.ZodType<PageQuery>, Item extends Schema, Row>(
      path: Path,
      verb: (deps: Deps, asked: Asked<Path, Query, Schema>) => Promise<Page<Row>>,
      { item, toItem, ...about }: About<Query> & Listing<Item, Row>,
    ) =>
      route("GET", path, { ...about, replies: { 200: pageOf(item) } }, async (context) => {
        const asked = askedOf<Path, Query, Schema>(context);
        const page = await verb(deps, asked);
        const now = deps.clock.now();
        return toPage(page, asked.query, (row) => toItem(row, now), context);
      }),

    /** A list without page numbers. */
    cursorList: <Path extends string, Query extends Schema, Item extends Schema, Row>(
      path: Path,
      verb: (deps: Deps, asked: Asked<Path, Query, Schema>) => Promise<CursorPage<Row>>,
      { item, toItem, ...about }: About<Query> & Listing<Item, Row>,
    ) =>
      route("GET", path, { ...about, replies: { 200: cursorPageOf(item) } }, async (context) => {
        const page = await verb(deps, askedOf<Path, Query, Schema>(context));
        const now = deps.clock.now();
        return toCursorPage(page, (row) => toItem(row, now), context);
      }),

    read: <Path extends string, Query extends Schema, Reply extends Schema, Result>(
      path: Path,
      verb: (deps: Deps, asked: Asked<Path, Query, Schema>) => Promise<Result>,
      { reply, toReply, ...about }: About<Query> & Replying<Reply, Result>,
    ) =>
      route("GET", path, { ...about, replies: { 200: data(reply) } }, async (context) =>
        inData({ reply, toReply }, await verb(deps, askedOf<Path, Query, Schema>(context))),
      ),

    /** A reply that is not JSON. */
    file: <Path extends string, Query extends Schema, File extends Schema>(
      path: Path,
      verb: (deps: Deps, asked: Asked<Path, Query, Schema>) => Response | Promise<Response>,
      { file, ...about }: About<Query> & { file: File },
    ) =>
      route("GET", path, { ...about, replies: { 200: file } }, async (context) =>
        verb(deps, askedOf<Path, Query, Schema>(context)),
      ),

    /** A question with a body, which writes nothing. */
    ask: <Path extends string, Body extends Schema, Reply extends Schema, Result>(
      path: Path,
      verb: (deps: Deps, asked: Asked<Path, Schema, Body>) => Promise<Result>,
      about: About<Schema, Body> & Replying<Reply, Result>,
    ) => post(path, verb, { ...about, writes: "nothing" }),

    /** A POST that changes something. */
    post: <Path extends string, Body extends Schema, Reply extends Schema, Result>(
      path: Path,
      verb: (unit: Unit, asked: Asked<Path, Schema, Body>) => Promise<Result>,
      about: About<Schema, Body> & Posting<Reply, Result>,
    ) => post(path, inChange(verb), about),

    /** A POST whose verb opens its own transactions, and calls `save` in the last of them. */
    postInSteps: post,

    /** A POST that makes a record. */
    create: <Path extends string, Body extends Schema, Reply extends Schema, Result>(
      path: Path,
      verb: (unit: Unit, asked: Asked<Path, Schema, Body>) => Promise<Result>,
      about: About<Schema, Body> & Creating<Reply, Result>,
    ) => createInSteps(path, inChange(verb), about),

    createInSteps,

    /** A POST that makes what it can of a list, and reports the rest: 201 if it made something. */
    createSome: <Path extends string, Body extends Schema, Reply extends Schema, Result>(
      path: Path,
      verb: InSteps<Asked<Path, Schema, Body>, Result>,
      about: About<Schema, Body> &
        Replying<Reply, Result> & {
          isMade: (result: Result) => boolean;
          /** What 200 and 201 mean. */
          means: [nothing: string, something: string];
        },
    ) => {
      const { reply, toReply, isMade, means, ...rest } = about;
      const replies = { 200: data(reply, means[0]), 201: data(reply, means[1]) };
      return route("POST", path, { ...rest, replies }, async (context) => {
        const codeOf = (result: Result) => (isMade(result) ? 201 : 200);
        const stored = await storing({ codeOf, reply, toReply }, context.request);
        const result = await verb(deps, askedOf<Path, Schema, Body>(context), stored.save);
        return status(codeOf(result), stored.replyOf(result));
      });
    },

    change: <
      Path extends string,
      Query extends Schema,
      Body extends Schema,
      Reply extends Schema,
      Result,
    >(
      path: Path,
      verb: (unit: Unit, asked: Asked<Path, Query, Body>) => Promise<Result>,
      about: About<Query, Body> & Replying<Reply, Result>,
    ) =>
      changeInSteps(
        path,
        (deps, asked) => makeChange(deps, asked.caller, (unit) => verb(unit, asked)),
        about,
      ),

    changeInSteps,

    remove: <Path extends string, Query extends Schema>(
      path: Path,
      verb: (unit: Unit, asked: Asked<Path, Query, Schema>) => Promise<void>,
      about: About<Query>,
    ) =>
      removeInSteps(
        path,
        (deps, asked) => makeChange(deps, asked.caller, (unit) => verb(unit, asked)),
        about,
      ),

    removeInSteps,
  };

  function post<Path extends string, Body extends Schema, Reply extends Schema, Result>(
    path: Path,
    verb: InSteps<Asked<Path, Schema, Body>, Result>,
    { reply, toReply, isSecret, ...about }: About<Schema, Body> & Posting<Reply, Result>,
  ) {
    return route("POST", path, { ...about, replies: { 200: data(reply) } }, async (context) => {
      const stored = await storing(
        { codeOf: () => 200, reply, toReply, isSecret },
        context.request,
      );
      const asked = askedOf<Path, Schema, Body>(context);
      return stored.replyOf(await verb(deps, asked, stored.save));
    });
  }

  function createInSteps<Path extends string, Body extends Schema, Reply extends Schema, Result>(
    path: Path,
    verb: InSteps<Asked<Path, Schema, Body>, Result>,
    about: About<Schema, Body> & Creating<Reply, Result>,
  ) {
    const { reply, toReply, isSecret, locationOf, ...rest } = about;
    return route("POST", path, { ...rest, replies: { 201: data(reply) } }, async (context) => {
      const kind = { codeOf: () => 201, reply, toReply, isSecret, locationOf };
      const stored = await storing(kind, context.request);
      const asked = askedOf<Path, Schema, Body>(context);
      const result = await verb(deps, asked, stored.save);
      context.set.headers.location = locationOf(result);
      return status(201, stored.replyOf(result));
    });
  }

  function changeInSteps<
    Path extends string,
    Query extends Schema,
    Body extends Schema,
    Reply extends Schema,
    Result,
  >(
    path: Path,
    verb: (deps: Deps, asked: Asked<Path, Query, Body>) => Promise<Result>,
    { reply, toReply, ...about }: About<Query, Body> & Replying<Reply, Result>,
  ) {
    return route("PATCH", path, { ...about, replies: { 200: data(reply) } }, async (context) =>
      inData({ reply, toReply }, await verb(deps, askedOf<Path, Query, Body>(context))),
    );
  }

  function removeInSteps<Path extends string, Query extends Schema>(
    path: Path,
    verb: (deps: Deps, asked: Asked<Path, Query, Schema>) => Promise<void>,
    about: About<Query>,
  ) {
    const replies = { 204: z.undefined() };
    return route("DELETE", path, { ...about, replies }, async (context) => {
      await verb(deps, askedOf<Path, Query, Schema>(context));
      return status(204, undefined);
    });
  }

  /** Claims the idempotency key of a request. What `save` stores with it is what `replyOf` gives. */
  async function storing<Reply extends Schema, Result>(
    {
      codeOf,
      isSecret = false,
      locationOf,
      ...replying
    }: Replying<Reply, Result> & {
      codeOf: (result: Result) => number;
      isSecret?: boolean | undefined;
      locationOf?: (result: Result) => string;
    },
    request: Request,
  ) {
    const claim = await claimKey(deps, request);
    let saved: { data: z.output<Reply> } | undefined;
    const save: SaveReply<Result> = async (tx, result) => {
      if (!claim) return;
      saved = inData(replying, result);
      await storeReply(tx, claim, {
        status: codeOf(result),
        body: isSecret ? null : JSON.stringify(saved),
        location: locationOf?.(result),
        resourceId: isSecret ? (result as { id: string }).id : null,
      });
    };
    return { save, replyOf: (result: Result) => saved ?? inData(replying, result) };
  }
}

/** The five usual routes of a record with an id, whose verbs get the caller, the id and the body. */
export function resource<Shown extends Schema, Row extends { id: string }>(
  deps: Deps,
  path: string,
  shown: Replying<Shown, Row>,
) {
  const { list, read, create, change, remove } = edge(deps);
  const locationOf = ({ id }: { id: string }) => `/api/v1${path}/${id}`;
  return {
    list: <Query extends z.ZodType<PageQuery>>(
      verb: (deps: Deps, caller: Caller, query: z.output<Query>) => Promise<Page<Row>>,
      about: About<Query>,
    ) =>
      list("", (deps, { caller, query }) => verb(deps, caller, query), {
        ...about,
        item: shown.reply,
        toItem: shown.toReply,
      }),

    find: (verb: (deps: Deps, caller: Caller, id: string) => Promise<Row>, about: About) =>
      read("/:id", (deps, { caller, params }) => verb(deps, caller, params.id), {
        ...about,
        ...shown,
      }),

    create: <Body extends Schema>(
      verb: (unit: Unit, caller: Caller, body: z.output<Body>) => Promise<Row>,
      about: About<Schema, Body>,
    ) =>
      create("", (unit, { caller, body }) => verb(unit, caller, body), {
        ...about,
        ...shown,
        locationOf,
      }),

    change: <Body extends Schema>(
      verb: (unit: Unit, caller: Caller, id: string, body: z.output<Body>) => Promise<Row>,
      about: About<Schema, Body>,
    ) =>
      change("/:id", (unit, { caller, params, body }) => verb(unit, caller, params.id, body), {
        ...about,
        ...shown,
      }),

    remove: (verb: (unit: Unit, caller: Caller, id: string) => Promise<void>, about: About) =>
      remove("/:id", (unit, { caller, params }) => verb(unit, caller, params.id), about),
  };
}

/** Lets a verb make its change in one transaction, which also stores the reply. */
const inChange =
  <A extends { caller: Caller }, Result>(verb: (unit: Unit, asked: A) => Promise<Result>) =>
  (deps: Deps, asked: A, save: SaveReply<Result>): Promise<Result> =>
    makeChange(deps, asked.caller, async (unit) => {
      const result = await verb(unit, asked);
      await save(unit.store, result);
      return result;
    });

const askedOf = <Path extends string, Query extends Schema, Body extends Schema>({
  params,
  query,
  body,
  request,
}: Context) =>
  ({
    // The doors reject requests without a caller before they reach a route.
    caller: contextOf(request).caller!,
    params,
    query,
    body,
    request,
  }) as Asked<Path, Query, Body>;

/** A path, its handler and its hooks, as the framework takes them. */
function route<
  Path extends string,
  Query extends Schema,
  Body extends Schema,
  Replies extends { [code: number]: Schema },
  Reply,
>(
  method: Method,
  path: Path,
  { query, body, refuses, replies, ...detail }: About<Query, Body> & { replies: Replies },
  handler: (context: Context) => Promise<Reply>,
) {
  const errors = refuses ?? usualRefusals(method, path, body !== undefined);
  const hooks = {
    ...(query && { query }),
    ...(body && { body }),
    response: {
      ...replies,
      ...refusals,
      ...Object.fromEntries(errors.map((code) => [code, ErrorReply])),
    },
    detail: { access: method === "GET" ? "read" : "write", ...detail },
  };
  return [path, handler, hooks as Hooks<Query, Body, Replies>] as const;
}

type Hooks<Query extends Schema, Body extends Schema, Replies> = {
  query: Query;
  body: Body;
  response: Replies & typeof refusals;
  detail: DocumentDecoration;
};

/** A POST may have an idempotency key, PATCH and DELETE of a record `If-Match`. */
function usualRefusals(method: Method, path: string, hasBody: boolean): Refusal[] {
  return [
    ...(path.includes(":") ? ([404] as const) : []),
    ...(method === "POST" ? ([409] as const) : []),
    ...(method === "PATCH" || method === "DELETE" ? ([412] as const) : []),
    ...(hasBody ? ([413, 415] as const) : []),
  ];
}
