import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import type { Process } from '#agent/os/processes/processes.ts'
import { filesOnDisk } from './config-files.ts'
import { fastcgiAddress, type Kind, type Listen, NO_PHP, type VirtualHost } from './virtual-host.ts'

const PROGRAM = /^\S*\/caddy run\b/
const DEFAULT = '/etc/caddy/Caddyfile'
/** Certificates issued to Debian's Caddy. */
const STORE = '/var/lib/caddy/.local/share/caddy/certificates'
const ADAPT_MS = 20_000

/** The site settings of the JSON configuration: https://caddyserver.com/docs/json/ */
const Handler = z.looseObject({
  handler: z.string(),
  root: z.string().optional(),
  status_code: z.union([z.string(), z.number()]).optional(),
  get routes() {
    return z.array(Route).optional()
  },
  transport: z.looseObject({ protocol: z.string().optional() }).optional(),
  upstreams: z.array(z.looseObject({ dial: z.string().optional() })).optional(),
})
const Route = z.looseObject({
  match: z
    .array(
      z.looseObject({ host: z.array(z.string()).optional(), path: z.array(z.string()).optional() }),
    )
    .optional(),
  get handle(): z.ZodOptional<z.ZodArray<typeof Handler>> {
    return z.array(Handler).optional()
  },
})
type Handler = z.infer<typeof Handler>
type Route = z.infer<typeof Route>
const Server = z.looseObject({
  listen: z.array(z.string()).default([]),
  routes: z.array(Route).default([]),
})
const Config = z.looseObject({
  apps: z.looseObject({
    http: z.looseObject({ servers: z.record(z.string(), Server).default({}) }).optional(),
    tls: z
      .looseObject({
        certificates: z
          .looseObject({
            load_files: z.array(z.looseObject({ certificate: z.string() })).optional(),
          })
          .optional(),
      })
      .optional(),
  }),
})

export const isCaddy = ({ line }: Process) => PROGRAM.test(line)

/** Caddy's handling of every name, from its own translation of a Caddyfile or from a JSON file. */
export async function readCaddy(host: Host, processes: readonly Process[]): Promise<VirtualHost[]> {
  const words = processes.find(isCaddy)?.line.split(/\s+/) ?? []
  const at = words.findIndex((word) => word === '--config' || word === '-c')
  const path = at < 0 ? DEFAULT : (words[at + 1] ?? DEFAULT)
  const written = await host.files.read(path)
  const isJson = path.endsWith('.json') || written === undefined
  const text = isJson ? written : await adapted(host, path)
  const config = Config.safeParse(JSON.parse(text ?? 'null')).data
  const loaded = config?.apps.tls?.certificates?.load_files ?? []
  const servers = Object.values(config?.apps.http?.servers ?? {})
  const source = filesOnDisk(host)
  const certificateOf = async (name: string) => {
    // Caddy picks one of several loaded ones by name.
    if (loaded.length === 1) return loaded[0]?.certificate ?? ''
    return (await source.expand(`${STORE}/*/${name}/${name}.crt`))[0] ?? ''
  }
  const found = servers.map(({ listen, routes }) =>
    Promise.all(routes.map((route) => hostOf(route, listen.map(listenOf), certificateOf))),
  )
  return (await Promise.all(found)).flat()
}

async function adapted({ shell }: Host, path: string): Promise<string | undefined> {
  const options = { unconfined: true, timeout_ms: ADAPT_MS }
  const { code, stdout } = await shell.try(['caddy', 'adapt', '--config', path], options)
  return code === 0 && stdout !== '' ? stdout : undefined
}

function listenOf(written: string): Listen {
  const [, address = '', port = '443'] = /^(?:\w+\/)?(.*):(\d+)$/.exec(written) ?? []
  return { address, port: Number(port), tls: port !== '80', default: false }
}

async function hostOf(
  route: Route,
  listens: readonly Listen[],
  certificateOf: (name: string) => Promise<string>,
): Promise<VirtualHost> {
  const names = route.match?.flatMap(({ host = [] }) => host) ?? ['']
  const handlers = [...handlersIn(route)]
  const root = handlers.findLast(({ root: folder }) => folder !== undefined)?.root ?? ''
  const fastcgi = handlers.find(({ transport }) => transport?.protocol === 'fastcgi')
  const proxy = fastcgi ? undefined : handlers.find((each) => each.handler === 'reverse_proxy')
  const tls = listens.some((listen) => listen.tls)
  const certificate = tls ? await certificateOf(names[0] ?? '') : ''
  const isFolder = root.startsWith('/') && !root.includes('{')
  return {
    ...{ names, user: '', certificate, tls },
    listens: listens.map((listen) => ({ ...listen, default: names[0] === '' })),
    kind: kindOf(handlers, root, proxy !== undefined),
    docroot: isFolder ? root.replace(/(?<=.)\/+$/, '') : '',
    php: { ...NO_PHP, address: dialed(fastcgi) },
    proxy: dialed(proxy),
    unknown: {
      ...(root !== '' && !isFolder && { docroot: 'computed' }),
      ...(tls && certificate === '' && { tls: 'no_certificate_yet' }),
    },
  }
}

/** Handlers for all paths or scripts. */
function* handlersIn(route: Route): Generator<Handler> {
  const paths = route.match?.flatMap(({ path = [] }) => path) ?? []
  const isPart = paths.length > 0 && !paths.some((path) => path === '*' || path.includes('.php'))
  for (const handler of isPart ? [] : (route.handle ?? [])) {
    yield handler
    for (const inner of handler.routes ?? []) yield* handlersIn(inner)
  }
}

function kindOf(handlers: readonly Handler[], root: string, proxied: boolean): Kind {
  const answer = handlers.find(({ handler }) => handler === 'static_response')
  const serves = handlers.some(({ handler }) => ['file_server', 'reverse_proxy'].includes(handler))
  if (!serves && answer) {
    const code = Number(answer.status_code ?? 200)
    if (code >= 400) return root === '' ? 'none' : 'closed'
    return code >= 300 ? 'none' : 'text'
  }
  if (proxied) return 'proxy'
  return serves ? 'files' : 'none'
}

/** `unix//run/php/shop.sock`, `localhost:9000`. */
function dialed({ upstreams = [] }: Partial<Handler> = {}): string {
  return fastcgiAddress((upstreams[0]?.dial ?? '').replace(/^unix\//, '').replace(/^tcp\//, ''))
}
