import { makePeopleOfAccounts } from '#dashboard/features/access/accounts/people.queries.ts'
import { makeMailer } from '#dashboard/features/alerts/mailer.ts'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import type { Transports } from '#dashboard/kernel/agents/transport.ts'
import {
  type FirstLogin,
  storeFirstLogin,
  takeFirstLogin,
} from '#dashboard/kernel/auth/first-login.ts'
import { makeFirstUser } from '#dashboard/kernel/auth/first-user.ts'
import type { DatabaseLock } from '#dashboard/kernel/db/database-lock.ts'
import { Marks } from '#dashboard/kernel/db/marks.ts'
import { listServerIds } from '#dashboard/kernel/db/targets.ts'
import { findNewestTime } from '#dashboard/kernel/db/times.queries.ts'
import { AnswerCache } from '#dashboard/kernel/http/answer-cache.ts'
import { pathOf } from '#dashboard/kernel/http/path.ts'
import { realClock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { TurnLimit } from '#dashboard/kernel/runtime/event-loop-limit.ts'
import { jsonLog } from '#dashboard/kernel/runtime/log.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { inRequest, requestIdOf } from '#dashboard/kernel/runtime/request-id.ts'
import { makeDataDir, readOrCreateSecret } from '#dashboard/kernel/runtime/secret-file.ts'
import { Keyring } from '#dashboard/kernel/trust/keyring.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import { afterRestore } from './after-restore.ts'
import { createApp } from './app.ts'
import { type Config, smtpOf } from './config.ts'
import { type Deps, makeDeps } from './deps.ts'
import { openRecords } from './open-database.ts'
import { ROUTES } from './routes.ts'
import { StartError } from './start-error.ts'
import { startSweeps } from './sweeps.ts'

export interface StartedDashboard {
  url: string
  /** The first account, if its generated password was not shown yet. */
  first: FirstLogin | undefined
  /** Closes every connection; operations continue at the next start. */
  stop(): Promise<void>
}

export interface Demo {
  transports: Transports
  /** Fills the records before anything reads them. */
  prepare(deps: Deps): Promise<void>
  log(line: string): void
}

/** The requests that start in one turn of the event loop, between which `/health` is answered. */
const MAX_STARTS_PER_TURN = 16
/** The interval at which operations are found that were requested at another dashboard. */
const OPERATIONS_POLL_MS = 250
const BULK_POLL_MS = 1_000
const SERVERS_POLL_MS = 2_000
/** The maximum of a body above our own limit of 1 MiB, so that we answer with a JSON body. */
const MAX_BODY = 64 << 20

/** Starts the dashboard. Throws StartError for failures that the operator can correct. */
export async function start(
  config: Config,
  { demo, keep_login = false }: { demo?: Demo; keep_login?: boolean } = {},
): Promise<StartedDashboard> {
  if (demo && config.production) throw new StartError('A demo does not run in production')
  const { deps, lock } = await openDeps(config, demo)
  const newest = await findNewestTime(deps.db)
  await demo?.prepare(deps)
  // Listens first, so that a generated password is not lost to an address in use; nothing is
  // answered until the first user exists.
  const ready = Promise.withResolvers<void>()
  const server = listen(config, deps, ready.promise)
  const keep = async (login: FirstLogin) => {
    await storeFirstLogin(config.DATA_DIR, login)
    return () => takeFirstLogin(config.DATA_DIR)
  }
  const first = await makeFirstUser(keep_login ? { ...deps, keep } : deps, config)
  await makePeopleOfAccounts(deps, timestamp(deps.clock))
  ready.resolve()
  await afterRestore(deps, config.DATA_DIR)
  await deps.leases.start()
  await deps.worker.resume()
  await deps.bulks.resume()
  deps.scheduler.start(await listServerIds(deps.db), (await getSettings(deps.db)).sync_interval)
  deps.enroller.start()
  deps.pulses.start()
  // The sites of a demo exist nowhere.
  if (!demo) deps.visits.start()
  watchOtherDashboards(deps)
  const stopping = new AbortController()
  startSweeps(deps, config, { newest, signal: stopping.signal })
  const stop = async () => {
    stopping.abort()
    deps.agents.close()
    deps.feed.stop()
    const { worker, bulks, scheduler, enroller, pulses, visits } = deps
    const working = [worker, bulks, scheduler, enroller, pulses, visits]
    const ends = working.map((part) => part.stop())
    await Promise.all([server.stop(true), ...ends])
    await deps.leases.stop()
    await deps.record.keep().catch(() => undefined)
    deps.db.close()
    lock?.close()
  }
  return { url: `http://${hostOf(config.HOST)}:${server.port}`, first, stop }
}

/** Watches the operations and changes of other dashboards on the same records. */
function watchOtherDashboards({ leases, worker, bulks, scheduler, db }: Deps): void {
  leases.watch(OPERATIONS_POLL_MS, () => worker.resume())
  leases.watch(BULK_POLL_MS, () => bulks.resume())
  leases.watch(SERVERS_POLL_MS, async () => {
    scheduler.keep(await listServerIds(db), (await getSettings(db)).sync_interval)
  })
}

async function openDeps(
  config: Config,
  demo: Demo | undefined,
): Promise<{ deps: Deps; lock: DatabaseLock | undefined }> {
  const { secret, seal } = await openDataDir(config)
  const log = jsonLog(demo?.log ?? ((line) => process.stderr.write(line)), realClock.now)
  const marks = new Marks(seal, log)
  const { db, lock } = await openRecords(config)
  const outside = { db, clock: realClock, random: secureRandom }
  const sealer = makeSealer(seal, secureRandom)
  const { production, PRIVATE_ADDRESSES, PUBLIC_URL: public_url } = config
  const keys = await openKeys({ ...outside, sealer })
  const smtp = smtpOf(config)
  const deps = makeDeps({
    ...outside,
    log,
    marks,
    secret,
    keys,
    sealer,
    rules: { production, allow_private: PRIVATE_ADDRESSES === 'allow' },
    public_url,
    mailer: smtp && makeMailer(smtp.server, smtp.from),
    builds_dir: config.BUILDS_DIR,
    web_dir: config.WEB_DIR,
    trash_days: config.TRASH_DAYS,
    data_dir: config.DATA_DIR,
    off_site: config.BACKUPS_OFF_SITE === 'on',
    ...(demo ? { demo: true, transports: demo.transports } : {}),
  })
  return { deps, lock }
}

async function openDataDir({ DATA_DIR, JWT_SECRET }: Config) {
  try {
    await makeDataDir(DATA_DIR)
    return {
      secret: JWT_SECRET ?? (await readOrCreateSecret(`${DATA_DIR}/jwt-secret`, secureRandom)),
      seal: await readOrCreateSecret(`${DATA_DIR}/seal-secret`, secureRandom),
    }
  } catch (error) {
    const hint = 'make it writable for this user, or set DATA_DIR to another folder'
    throw new StartError(
      `DATA_DIR ${DATA_DIR} cannot be used (${codeOf(error) || 'unknown error'}): ${hint}`,
    )
  }
}

/** Opens the keys, which need the DATA_DIR that belongs to the database. */
async function openKeys(deps: ConstructorParameters<typeof Keyring>[0]): Promise<Keyring> {
  const keys = new Keyring(deps)
  try {
    await keys.current()
    return keys
  } catch {
    const hint = 'restore DATA_DIR/seal-secret from the backup that belongs to this database'
    throw new StartError(`The signing key cannot be opened: ${hint}`)
  }
}

function listen({ HOST, PORT }: Config, deps: Deps, ready: Promise<void>) {
  const app = createApp(deps)
  const pace = new TurnLimit(MAX_STARTS_PER_TURN)
  const kept = new AnswerCache(deps, ROUTES)
  const answer = async (request: Request) => {
    await ready
    if (!isHealth(request)) await pace.turn()
    return inRequest(requestIdOf(request, deps.random), () => app.fetch(request))
  }
  try {
    const server = Bun.serve({
      hostname: HOST,
      port: PORT,
      idleTimeout: 30,
      maxRequestBodySize: MAX_BODY,
      fetch: (request) => kept.answer(request, () => answer(request)),
    })
    app.server = server
    return server
  } catch (error) {
    const hint = 'stop what listens there, or set HOST and PORT to a free address'
    throw new StartError(
      `Cannot listen on ${HOST}:${PORT} (${codeOf(error) || 'unknown error'}): ${hint}`,
    )
  }
}

const isHealth = ({ url }: Request) => pathOf(url) === '/health'

function hostOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
