import { reading } from '#shared/kernel/reading.ts'
import {
  AgentFatals,
  AgentLogPage,
  AgentLogs,
  LogDownloadRequest,
  LogFatalsRequest,
  LogSearchRequest,
  LogsRequest,
  LogTailRequest,
} from './site-logs.ts'

/** The time limit, longer than the agent takes for a compressed file of the maximum size. */
const TIMEOUT_MS = 45_000

export const logsReading = reading({
  at: 'POST /sites/logs/list',
  params: LogsRequest,
  answer: AgentLogs,
  timeout_ms: TIMEOUT_MS,
})

export const logPageReading = reading({
  at: 'POST /sites/logs/search',
  params: LogSearchRequest,
  answer: AgentLogPage,
  timeout_ms: TIMEOUT_MS,
})

export const fatalErrorsReading = reading({
  at: 'POST /sites/logs/fatals',
  params: LogFatalsRequest,
  answer: AgentFatals,
  timeout_ms: TIMEOUT_MS,
})

export const logDownloadReading = reading({
  at: 'POST /sites/logs/download',
  params: LogDownloadRequest,
  answer: 'bytes',
})

/** The new lines of a log as `log` events, numbered on each connection. */
export const logTailReading = reading({
  at: 'POST /sites/logs/tail',
  params: LogTailRequest,
  answer: 'events',
})
