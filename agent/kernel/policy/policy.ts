import { z } from 'zod'
import type { Clock, Files } from '#agent/kernel/host/ports.ts'
import type { OperationStore } from '#agent/kernel/operations/store.ts'
import { AccessGrant, isWithin } from '#shared/access/site-access.ts'
import { ClientAccount, isClientWithin } from '#shared/access/site-clients.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { contractOf } from '#shared/contracts.ts'
import { forbidden, tooMany } from '#shared/kernel/errors.ts'
import { groupOf, type PolicyRules, readRules } from './file.ts'

/** Commands that no later command can undo. */
const DESTRUCTIVE: readonly CommandName[] = ['site.purge']
/** Commands that need authentication: PHP of the sites could reach the agent. */
const MAKES_SITES: readonly CommandName[] = ['site.create', 'site.restore']
/** Commands that let somebody read what a site stores. */
const GIVES_PASSWORDS: readonly CommandName[] = ['database.tool', 'database.user']
const noAccess = async () => undefined
const HOUR_MS = 3_600_000

interface PolicyDeps {
  files: Files
  /** The file of root, read at every check; no call of the agent writes it. */
  path: string
  store: OperationStore
  clock: Clock
  /** Returns who may log in to a site. */
  recorded?: (domain: string) => Promise<RecordedAccess | undefined>
  /** `refused` without authentication. */
  sites?: 'allowed' | 'refused'
}

/** The policy of this server, which also binds a compromised dashboard. */
export class Policy {
  readonly #deps: PolicyDeps
  /** The times of permitted destructive commands: those of earlier processes are in the store. */
  #permitted: Promise<number[]> | undefined

  constructor(deps: PolicyDeps) {
    this.#deps = deps
  }

  /**
   * Throws forbidden for a denied command, and too_many over the cap. The returned function frees
   * the slot under the cap, for a command that was refused before a change.
   */
  async permit<N extends CommandName>(command: N, params?: ParamsOf<N>): Promise<() => void> {
    const { path, sites, recorded = noAccess } = this.#deps
    if (sites === 'refused' && MAKES_SITES.includes(command)) {
      throw forbidden('AGENT_AUTH=none is for a server without sites: use AGENT_AUTH=signed')
    }
    const rules = await readRules(this.#deps.files, path)
    if ('broken' in rules) {
      if ((await contractOf(command)).changes) throw brokenPolicy(path, rules.broken)
      return () => undefined
    }
    if (isDenied(rules, command)) throw forbidden(`${path} on this server denies ${command}`)
    if (rules.shell === 'deny' && (await givesShell(params, recorded)))
      throw forbidden(`${path} on this server denies shells: grant SFTP only`)
    if (rules.client_accounts === 'deny' && (await givesClient(params, recorded)))
      throw forbidden(`${path} on this server denies client accounts: grant access with a key`)
    return DESTRUCTIVE.includes(command) ? this.#count(rules) : () => undefined
  }

  /** Throws forbidden where passwords stay on the server. */
  async permitPasswords(): Promise<void> {
    const { files, path } = this.#deps
    const rules = await readRules(files, path)
    if ('broken' in rules) throw brokenPolicy(path, rules.broken)
    if (rules.passwords === 'deny') throw forbidden(`${path} on this server denies passwords`)
  }

  async #count({ destructive_per_hour: most }: PolicyRules): Promise<() => void> {
    this.#permitted ??= this.#stored()
    const permitted = await this.#permitted
    const now = this.#deps.clock.now()
    const recent = permitted.filter((at) => at > now - HOUR_MS)
    if (most !== undefined && recent.length >= most) throw this.#over(most, recent, now)
    permitted.splice(0, permitted.length, ...recent, now)
    return () => {
      const at = permitted.indexOf(now)
      if (at >= 0) permitted.splice(at, 1)
    }
  }

  #over(most: number, recent: number[], now: number) {
    const freed = recent.toSorted((a, b) => a - b)[recent.length - most] ?? now
    const seconds = Math.ceil((freed + HOUR_MS - now) / 1000)
    const allowed = `${most} destructive commands an hour`
    return tooMany(`${this.#deps.path} on this server allows ${allowed}`, seconds)
  }

  async #stored(): Promise<number[]> {
    const { store } = this.#deps
    const requests = await Promise.all((await store.ids()).map((id) => store.request(id)))
    return requests.flatMap((request) =>
      request && DESTRUCTIVE.includes(request.command) ? [request.created_at] : [],
    )
  }
}

/** Returns whether a command is denied, also by a denied deletion or denied database users. */
function isDenied({ deny, upgrades, passwords }: PolicyRules, command: CommandName): boolean {
  if (command === 'site.purge' && deny.includes('site.delete')) return true
  if (command === 'database.tool' && deny.includes('database.user')) return true
  if (GIVES_PASSWORDS.includes(command) && passwords === 'deny') return true
  if (deny.includes(groupOf(command))) return true
  return deny.includes(command) || (command === 'agent.upgrade' && upgrades === 'deny')
}

function brokenPolicy(path: string, reason: string) {
  return forbidden(`${path} on this server ${reason}: nothing is changed until root corrects it`)
}

/** The recorded access to a site. */
interface RecordedAccess {
  access?: readonly AccessGrant[] | undefined
  clients?: readonly ClientAccount[] | undefined
}
type FindAccess = (domain: string) => Promise<RecordedAccess | undefined>

/** The params of site.access, the only command with such grants. */
const ShellParams = z.object({
  grants: z
    .array(z.unknown())
    .refine((grants) => grants.some((one) => ShellGrant.safeParse(one).success)),
})
const GrantParams = z.object({ domain: z.string(), grants: z.array(AccessGrant) })
const ShellGrant = z.object({ kind: z.literal('shell') })

/** Returns whether somebody gets a shell; a person with a recorded shell keeps it. */
async function givesShell(params: unknown, find: FindAccess): Promise<boolean> {
  if (!ShellParams.safeParse(params).success) return false
  const { data } = GrantParams.safeParse(params)
  if (!data) return true
  const { access = [] } = (await find(data.domain)) ?? {}
  return data.grants.some(
    (grant) => grant.kind === 'shell' && !access.some((former) => isWithin(grant, former)),
  )
}

const ClientsParams = z.object({ clients: z.array(z.unknown()).min(1) })
const ClientParams = z.object({ domain: z.string(), clients: z.array(ClientAccount) })

/** Returns whether somebody gets an account. A recorded one stays, with its password. */
async function givesClient(params: unknown, find: FindAccess): Promise<boolean> {
  if (!ClientsParams.safeParse(params).success) return false
  const { data } = ClientParams.safeParse(params)
  if (!data) return true
  const { clients = [] } = (await find(data.domain)) ?? {}
  return data.clients.some((client) => !clients.some((former) => isClientWithin(client, former)))
}
