import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { type AcmeOutcome, type AcmePort, RenewalWindows } from '#agent/kernel/host/acme-port.ts'
import type { FetchOptions, Net } from '#agent/kernel/host/ports.ts'
import { DYNAMIC_USER, UNPRIVILEGED } from '#agent/kernel/host/sandbox.ts'
import { type Visitor, VisitResults } from '#agent/kernel/host/visit-port.ts'
import { ensureExecutable } from './executable.ts'
import { bytesOf, net, save } from './net.ts'
import { type NetworkCall, OrderLine, RecordLine, ResolvedList } from './network-helper.ts'
import { cookieOf, remember } from './programs.ts'
import { environment } from './shell.ts'
import { SYSTEMD_RUN, transient } from './unconfined.ts'
import { visitor } from './visitor.ts'

/** The limits of a helper, whose memory is mostly the executable itself: downloads stream. */
const LIMITS = ['MemoryMax=512M', 'TasksMax=64']

/** The network of the half without one: each call runs in a short-lived unit without privileges. */
export const helperNet: Net = {
  async fetch(url, options = {}) {
    if (url.startsWith('file:')) return net.fetch(url)
    const call = { call: 'fetch', url, timeout_ms: options.timeout_ms ?? 30_000 } as const
    return gathered(answer(call, options))
  },
  download(url, path, digest, options = {}) {
    const remote = () => answer({ call: 'fetch', url, timeout_ms: 600_000 }, options)
    return save(url.startsWith('file:') ? bytesOf(url) : remote(), path, digest, options)
  },
  async probe({ tls = false, ...probe }) {
    return JSON.parse(String(await gathered(answer({ call: 'probe', ...probe, tls }))))
  },
  async resolve(names, { fresh = false } = {}) {
    if (names.length === 0) return []
    const text = String(await gathered(answer({ call: 'resolve', names: [...names], fresh })))
    return ResolvedList.parse(JSON.parse(text))
  },
}

/** The visitor of the half without a network; local sockets are files, which need none. */
export const helperVisitor: Visitor = {
  ...visitor,
  async visit(visits) {
    if (visits.length === 0) return []
    const text = String(await gathered(answer({ call: 'visit', visits: [...visits] })))
    return VisitResults.parse(JSON.parse(text))
  },
}

export const helperAcme: AcmePort = {
  async order({ present, publish, operation, ...request }) {
    const child = await startHelper({ call: 'order', ...request }, operation)
    const ended = endOf(child)
    ended.catch(() => undefined)
    let outcome: AcmeOutcome | undefined
    for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
      const news = OrderLine.parse(JSON.parse(line))
      if ('present' in news) {
        await present(news.present.token, news.present.text)
        child.stdin?.write('\n')
      } else if ('publish' in news) {
        const failure = await publish(news.publish.name, news.publish.value)
        child.stdin?.write(`${failure === undefined ? '' : JSON.stringify(failure)}\n`)
      } else outcome = news
    }
    await ended
    if (!outcome) throw new Error('the order ended without an outcome')
    return outcome
  },
  async renewals(request) {
    const text = String(await gathered(answer({ call: 'renewals', ...request })))
    return RenewalWindows.nullable().parse(JSON.parse(text)) ?? undefined
  },
  async record(record) {
    const text = String(await gathered(answer({ call: 'record', ...record })))
    return RecordLine.parse(JSON.parse(text)) ?? undefined
  },
}

async function* answer(
  call: NetworkCall,
  { operation }: FetchOptions = {},
): AsyncGenerator<Uint8Array> {
  const child = await startHelper(call, operation)
  const ended = endOf(child)
  ended.catch(() => undefined)
  child.stdin?.end()
  yield* child.stdout ?? []
  await ended
}

/** The time after which systemd ends a helper that has not ended by its own limit. */
const timeLimit = ({ call }: NetworkCall) => (call === 'probe' ? ['RuntimeMaxSec=2min'] : [])

async function startHelper(
  call: NetworkCall,
  operation: string | undefined,
): Promise<ChildProcess> {
  await ensureExecutable(SYSTEMD_RUN)
  const [program = '', ...args] = [
    ...transient([...UNPRIVILEGED, DYNAMIC_USER, ...LIMITS, ...timeLimit(call)], operation),
    process.execPath,
    'reach',
  ]
  const env = environment(cookieOf(operation))
  const child = spawn(program, args, { env, cwd: '/', stdio: 'pipe', detached: true })
  child.once('close', remember(operation, child.pid))
  child.stdin?.on('error', () => undefined)
  child.stdin?.write(`${JSON.stringify(call)}\n`)
  return child
}

/** Throws the last line of its standard error. */
function endOf(child: ChildProcess): Promise<void> {
  let complaint = ''
  child.stderr?.on('data', (chunk) => {
    complaint = (complaint + String(chunk)).slice(-4000)
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      const reason = complaint.trim().split('\n').at(-1)
      if (code === 0) resolve()
      else reject(new Error(reason || `the network could not be used (exit status ${code})`))
    })
  })
}

async function gathered(chunks: AsyncGenerator<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks))
}
