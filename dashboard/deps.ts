import { ProviderClients } from '#dashboard/features/access/sso/clients.ts'
import { Alerts } from '#dashboard/features/alerts/alerts.ts'
import type { Mailer } from '#dashboard/features/alerts/mailer.ts'
import { awaitBackup } from '#dashboard/features/backups/backup-first/await-backup.ts'
import { type KeyPair, makeKeyPair } from '#dashboard/features/backups/key-pair.ts'
import { recordRecipient } from '#dashboard/features/backups/next-repository.ts'
import { requestBackups } from '#dashboard/features/backups/off-site/request.ts'
import { sendWithRepository } from '#dashboard/features/backups/repositories.ts'
import { awaitSource } from '#dashboard/features/copies/await-source.ts'
import { ToolPasses } from '#dashboard/features/database/tool-passes.ts'
import { runAfterRecords } from '#dashboard/features/domains/dns/change-records.ts'
import { undoRecords } from '#dashboard/features/domains/dns/undo-changes.ts'
import { HealthReader } from '#dashboard/features/health/read-health.ts'
import { visitSite } from '#dashboard/features/health/visits/visit-site.ts'
import { Visits } from '#dashboard/features/health/visits/visits.ts'
import { MINUTE } from '#dashboard/features/metrics/key.ts'
import {
  findOnline,
  listOnline,
  type Reading,
  storeReadings,
} from '#dashboard/features/metrics/queries.ts'
import { ReadingQueue } from '#dashboard/features/metrics/reading-queue.ts'
import { removeCopiesOfMove } from '#dashboard/features/moves/left-copies.ts'
import { runMove } from '#dashboard/features/moves/run-move.ts'
import { runMoveBack } from '#dashboard/features/moves/run-move-back.ts'
import { runMoveConfirm } from '#dashboard/features/moves/run-move-confirm.ts'
import { Witnesses } from '#dashboard/features/recovery/witnesses.ts'
import { Pulses } from '#dashboard/features/servers/pulse/pulses.ts'
import { readPulse, storeChanges, syncState } from '#dashboard/features/servers/pulse/read-pulse.ts'
import { confirmLost, syncOrProbe } from '#dashboard/features/servers/sync/confirm-lost.ts'
import { runSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { type Contact, Scheduler } from '#dashboard/features/servers/sync/scheduler.ts'
import { StoredVersions } from '#dashboard/features/servers/sync/stored-versions.ts'
import { asksState, nextSyncAfter } from '#dashboard/features/servers/sync/sync-interval.ts'
import { ActivityRecord } from '#dashboard/kernel/activity/record.ts'
import { Agents } from '#dashboard/kernel/agents/agents.ts'
import { hasOurProtocol } from '#dashboard/kernel/agents/protocol.ts'
import type { AgentAddress, Transports } from '#dashboard/kernel/agents/transport.ts'
import { Challenges } from '#dashboard/kernel/auth/challenges.ts'
import { Devices } from '#dashboard/kernel/auth/devices.ts'
import {
  DEFAULT_PASSWORD_COST,
  type PasswordCost,
  Passwords,
} from '#dashboard/kernel/auth/passwords.ts'
import { Throttle } from '#dashboard/kernel/auth/throttle.ts'
import { Tokens } from '#dashboard/kernel/auth/tokens.ts'
import { BULK_NEWS, BulkRunner } from '#dashboard/kernel/bulk/runner.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import type { Executor } from '#dashboard/kernel/engine/operation-handle.ts'
import { runOnAgent } from '#dashboard/kernel/engine/run-on-agent.ts'
import { Worker } from '#dashboard/kernel/engine/worker.ts'
import { makeLeases } from '#dashboard/kernel/leases/leases.ts'
import { FLEET, shareOf } from '#dashboard/kernel/leases/shares.ts'
import { Feed } from '#dashboard/kernel/live/feed.ts'
import { Bus } from '#dashboard/kernel/runtime/bus.ts'
import { withSource } from '#dashboard/kernel/runtime/call-source.ts'
import { KeyedQueue } from '#dashboard/kernel/runtime/limit.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { inRequest, newRequestId } from '#dashboard/kernel/runtime/request-id.ts'
import { DEFAULT_TIME_LIMITS, type TimeLimits } from '#dashboard/kernel/runtime/time-limits.ts'
import type { AddressRules } from '#dashboard/kernel/trust/addresses.ts'
import { Enroller } from '#dashboard/kernel/trust/enroller.ts'
import type { Keyring } from '#dashboard/kernel/trust/keyring.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { makeTransports, obstacleTo } from '#dashboard/kernel/trust/transports.ts'
import { type DashboardType, isDashboardType, type OperationType } from '#shared/operation-types.ts'
import { RULES } from './operation-types.ts'

export interface OutsideDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random' | 'log'> {
  secret: string
  /** The marks of the rows that admit somebody: they prove that the dashboard wrote them. */
  marks: Marks
  keys: Keyring
  sealer: Sealer
  rules: AddressRules
  public_url: string | undefined
  /** The folder of the agent's builds; undefined: that of build-agent.ts. */
  builds_dir?: string | undefined
  /** The folder of the pages of build-web.ts; undefined: dist/ of the checkout. */
  web_dir?: string | undefined
  /** Whether the fleet is simulated: every page says so. */
  demo?: boolean
  /** Whether the records are saved in the backup target. Default true. */
  off_site?: boolean
  /** Sends mail of the dashboard; undefined: it sends none. */
  mailer?: Mailer | undefined
  trash_days?: number
  /** The folder of the last checkpoint of the activity; undefined: it is kept in memory. */
  data_dir?: string | undefined
  limits?: Partial<TimeLimits>
  /** The transport to agents; undefined: the network. */
  transports?: Transports
  password_cost?: PasswordCost
  /** Creates an RSA key pair; by default, a new one each time. */
  make_key_pair?: () => Promise<KeyPair>
}

export type Deps = ReturnType<typeof makeDeps>

export function makeDeps(outside: OutsideDeps) {
  const { db, clock, random, log, public_url, builds_dir, web_dir, demo = false } = outside
  const trash_ms = (outside.trash_days ?? 14) * 24 * 3600_000
  const limits = { ...DEFAULT_TIME_LIMITS, ...outside.limits }
  const base = { db, clock, random, log, public_url, builds_dir, limits, bus: new Bus(), ...limits }
  const { keys, sealer, marks, rules, mailer } = outside
  const off_site = !demo && (outside.off_site ?? true)
  const trust = { db, clock, random, log, keys, sealer, marks, rules }
  const transports = outside.transports ?? makeTransports(trust)
  const agents = new Agents({
    transports,
    timeout_ms: limits.answer_ms,
    contact_ms: limits.contact_ms,
  })
  const sync = {
    ...base,
    agents,
    keys,
    sealer,
    marks,
    rules,
    trash_ms,
    types: RULES,
    syncs: new KeyedQueue<number>(),
    records: new KeyedQueue<number>(),
    keys_asked: new Set<number>(),
    stored: new StoredVersions(clock),
    readings: new ReadingQueue({ clock, store: (readings) => store(readings) }),
    // Other transports than the network have no connections to try.
    findObstacle: async (to: AgentAddress) =>
      outside.transports ? undefined : obstacleTo(transports, to, rules),
  }
  const leases = makeLeases(base)
  const record = new ActivityRecord({ ...base, sealer, data_dir: outside.data_dir })
  const isOurs = ({ id }: { id: number }) => leases.holds(shareOf(id))
  /** Work for one server, while it is ours. */
  const ours = async (id: number, work: () => Promise<void>): Promise<void> => {
    const asAgent = () => withSource('agent', work)
    if (isOurs({ id }))
      await leases.run(shareOf(id), () => inRequest(newRequestId(random), asAgent))
  }
  const store = async (readings: readonly Reading[]) => {
    const shares = [...new Set(readings.map(({ server_id }) => shareOf(server_id)))]
    await leases.run(shares, () => storeReadings(db, readings))
  }
  /** The syncs of an agent of another protocol store its metrics as often. */
  const needsPulses = (server: AgentAddress) =>
    scheduler.interval_ms > MINUTE * 1000 || hasOurProtocol(server)
  /** The online servers of this minute that need none. */
  let unpulsed = new Set<number>()
  const listPulsed = async () => {
    const online = (await listOnline(db)).filter(isOurs)
    const { pulsed = [], others = [] } = Object.groupBy(online, (server) =>
      needsPulses(server) ? 'pulsed' : 'others',
    )
    unpulsed = new Set(others.map(({ id }) => id))
    return pulsed
  }
  const { stored } = sync
  const confirming = new Set<number>()
  /** Tells a server that has stopped to answer from one that missed a call, once at a time. */
  const confirm = async (id: number, how: Parameters<typeof confirmLost>[2]): Promise<void> => {
    if (confirming.has(id)) return
    confirming.add(id)
    try {
      await ours(id, () => confirmLost(sync, id, how))
      if (await findOnline(db, id)) await ours(id, () => pulses.meet(id))
      else scheduler.soon(id)
    } finally {
      confirming.delete(id)
    }
  }
  const scheduler: Scheduler = new Scheduler({
    clock,
    sync: async (id) => {
      const known: { contact: Contact } = { contact: 'answered' }
      await ours(id, async () => {
        known.contact = await syncOrProbe(sync, id)
      })
      const { contact } = known
      if (contact === 'silent') {
        const online = await findOnline(db, id).catch(() => undefined)
        if (online) pulses.lose(online)
      } else if (contact === 'answered' && !unpulsed.has(id)) await ours(id, () => pulses.meet(id))
      return contact
    },
    rest_ms: (id) =>
      pulses.has(id) ? stored.rest_ms(id, nextSyncAfter(scheduler.interval_ms)) : 0,
    changed: (id) => stored.forget(id),
  })
  const visits = new Visits({
    ...base,
    leases,
    findObstacle: sync.findObstacle,
    visit: (site, signal) =>
      visitSite(site, { rules, random: () => randomText(random, 9) }, signal),
  })
  const health = new HealthReader({
    ...base,
    changed: (id, domains) => visits.changed(id, domains),
  })
  const pulse = { ...sync, health }
  const pulses: Pulses = new Pulses({
    clock,
    log,
    async find(id) {
      const online = await findOnline(db, id)
      return online && needsPulses(online) ? online : undefined
    },
    async list() {
      const online = await listPulsed()
      health.keep(online.map(({ id }) => id))
      return online
    },
    ask: (server, wait, signal) =>
      inRequest(newRequestId(random), () => {
        const with_state = asksState(scheduler.interval_ms)
        return readPulse(pulse, server, { wait, with_state, signal })
      }),
    store,
    lost: ({ id }, how) => confirm(id, how),
    follow: (server, answer) => ours(server.id, () => storeChanges(pulse, server, answer)),
    sync: (server, answer) => ours(server.id, () => syncState(pulse, server, answer)),
  })
  const enroller = new Enroller({ ...base, ...trust, leases, enrolled: (id) => scheduler.add(id) })
  const own: Record<DashboardType, Executor> = {
    'server.sync': (...of) => runSync(sync, ...of),
    'site.move': (...of) => runMove({ ...sync, worker }, ...of),
    'site.move-back': (...of) => runMoveBack({ ...sync, worker }, ...of),
    'site.move-confirm': (...of) => runMoveConfirm({ ...sync, worker }, ...of),
  }
  const allowPassword = ({ server_id, params }: OperationRow) =>
    recordRecipient(db, server_id, params)
  const changing: Executor = async (operation, context) => {
    const isCopy = operation.type === 'site.clone' || operation.type === 'site.refresh'
    const prepare = isCopy ? awaitSource : awaitBackup
    const ready = await prepare({ ...sync, worker }, operation, context)
    await removeCopiesOfMove(sync, ready, context)
    return sendWithRepository(sync, ready, async (chosen) => {
      const sent = await runAfterRecords(sync, chosen, context)
      return runOnAgent({ ...sync, allowPassword }, sent, context)
    })
  }
  const executorOf = ({ type }: { type: OperationType }): Executor =>
    isDashboardType(type) ? own[type] : changing
  const worker: Worker = new Worker({
    ...base,
    types: RULES,
    leases,
    executorOf,
    onFinished: ({ id, type, server_id, site_id, params }, { status }) => {
      if (site_id !== null) visits.soon(site_id)
      base.bus.notify(BULK_NEWS)
      stored.forget(server_id)
      pulses.again(server_id)
      if (status === 'failed' && params.dns !== undefined)
        undoRecords(sync, { id }).catch((error: unknown) =>
          log.error('undo of DNS records failed', error),
        )
      if (status === 'success' && type !== 'server.sync') scheduler.changed(server_id)
    },
  })
  const bulks = new BulkRunner({ ...sync, leases, worker })
  leases.onChange(({ lost }) => {
    stored.clear()
    enroller.again()
    worker.handOver(lost)
    if (lost.includes(FLEET)) bulks.handOver()
  })
  return {
    ...sync,
    leases,
    web_dir,
    demo,
    off_site,
    requestBackups: () => requestBackups({ db, clock, off_site }),
    mailer,
    alerts: new Alerts({ ...base, marks, record, mailer, off_site }),
    feed: new Feed(base),
    record,
    witnesses: new Witnesses({ ...base, agents, record, data_dir: outside.data_dir }),
    bulks,
    enroller,
    pulses,
    health,
    visits,
    scheduler,
    worker,
    tokens: new Tokens(outside.secret, clock),
    passwords: new Passwords(outside.password_cost ?? DEFAULT_PASSWORD_COST, clock),
    make_key_pair: outside.make_key_pair ?? makeKeyPair,
    devices: new Devices(outside.secret, { clock, random }),
    challenges: new Challenges(outside.secret, { clock, random }),
    throttle: new Throttle(clock),
    clients: new ProviderClients({ clock, sealer, rules }),
    passes: new ToolPasses(outside.secret, clock),
  }
}
