import { afterAll, beforeAll, setDefaultTimeout } from 'bun:test'
import { Client } from './client.ts'
import {
  ADMIN,
  type AgentRuntime,
  dashboardFolder,
  type Environment,
  type Running,
  startAgent,
  startDashboard,
  sweep,
} from './processes.ts'

const HOOK_MS = 60_000
/** Other tests also start programs and hash passwords on a small machine. */
const TEST_MS = 60_000

export interface Used {
  client: () => Client
  running: () => Running
}

/** An agent for the tests of this block. `env` is read at its start. */
export function useAgent(
  runtime: AgentRuntime,
  env: () => Promise<Environment> = async () => ({}),
): Used {
  return use(async () => startAgent(runtime, await env()))
}

/** A dashboard for the tests of this file, with the first user logged in, and `others` as users. */
export function useDashboard(env: Environment = {}, others: readonly string[] = []): Used {
  const used = use(async () => startDashboard(await dashboardFolder(others), env))
  beforeAll(async () => {
    const { status, text } = await used.client().login(ADMIN)
    if (status !== 200) throw new Error(`The login answered ${status}: ${text}`)
  }, HOOK_MS)
  return used
}

function use(start: () => Promise<Running>): Used {
  setDefaultTimeout(TEST_MS)
  let running: Running | undefined
  let client: Client | undefined
  beforeAll(async () => {
    running = await start()
    client = new Client(running.url)
  }, HOOK_MS)
  afterAll(async () => {
    await running?.kill()
    await sweep()
  })
  return { client: () => there(client), running: () => there(running) }
}

export function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It runs between beforeAll and afterAll only')
  return value
}
