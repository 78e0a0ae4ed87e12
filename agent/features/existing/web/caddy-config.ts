import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Process } from '#agent/kernel/host/processes/processes.ts'
import { type ConfigFiles, filesOnDisk } from './config-files.ts'

const PROGRAM = /^\S*\/caddy run\b/
const DEFAULT_CONFIG = '/etc/caddy/Caddyfile'
/** The configuration that a running Caddy has loaded last, for Debian's user and for root. */
const AUTOSAVED = [
  '/var/lib/caddy/.config/caddy/autosave.json',
  '/root/.config/caddy/autosave.json',
]
const ADAPT_MS = 20_000

/** The site settings of the JSON configuration: https://caddyserver.com/docs/json/ */
const HandlerSchema = z.looseObject({
  handler: z.string(),
  root: z.string().optional(),
  abort: z.boolean().optional(),
  status_code: z.union([z.string(), z.number()]).optional(),
  get routes() {
    return z.array(RouteSchema).optional()
  },
  transport: z.looseObject({ protocol: z.string().optional() }).optional(),
  upstreams: z.array(z.looseObject({ dial: z.string().optional() })).optional(),
})
const RouteSchema = z.looseObject({
  group: z.string().optional(),
  match: z
    .array(
      z.looseObject({ host: z.array(z.string()).optional(), path: z.array(z.string()).optional() }),
    )
    .optional(),
  get handle(): z.ZodOptional<z.ZodArray<typeof HandlerSchema>> {
    return z.array(HandlerSchema).optional()
  },
})
export type Handler = z.infer<typeof HandlerSchema>
export type Route = z.infer<typeof RouteSchema>
const Server = z.looseObject({
  listen: z.array(z.string()).default([]),
  routes: z.array(RouteSchema).default([]),
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

export interface CaddyConfig {
  servers: readonly z.infer<typeof Server>[]
  /** Paths of certificates that are not Caddy's own. */
  certificates: readonly string[]
}

export const isCaddy = ({ line }: Process) => PROGRAM.test(line)

/**
 * Reads the configuration of Caddy: a JSON file, or its own translation of a Caddyfile. The one
 * that it saved itself counts if it resumes that, or if the file depends on the environment of its
 * process.
 */
export async function readCaddyConfig(
  host: Host,
  processes: readonly Process[],
): Promise<CaddyConfig> {
  const source = filesOnDisk(host)
  const words = processes.find(isCaddy)?.line.split(/\s+/) ?? []
  const at = words.findIndex((word) => word === '--config' || word === '-c')
  const path =
    [words[at + 1] ?? ''].find((word) => at >= 0 && word.startsWith('/')) ?? DEFAULT_CONFIG
  const written = await source.read(path)
  const isOwn = !words.includes('--resume') && written !== undefined && !written.includes('{$')
  const text = isOwn ? await adaptCaddyfile(host, path, written) : await autosaved(source)
  const { apps } = Config.parse(
    JSON.parse(text ?? (await adaptCaddyfile(host, path, written)) ?? ''),
  )
  return {
    servers: Object.values(apps.http?.servers ?? {}),
    certificates: (apps.tls?.certificates?.load_files ?? []).map((each) => each.certificate),
  }
}

async function autosaved(source: ConfigFiles): Promise<string | undefined> {
  for (const path of AUTOSAVED) {
    const text = await source.read(path)
    if (text !== undefined) return text
  }
  return undefined
}

async function adaptCaddyfile({ shell }: Host, path: string, written: string | undefined) {
  if (path.endsWith('.json') || written === undefined) return written
  const options = { unconfined: true, timeout_ms: ADAPT_MS }
  const { code, stdout } = await shell.try(['caddy', 'adapt', '--config', path], options)
  return code === 0 && stdout !== '' ? stdout : undefined
}
