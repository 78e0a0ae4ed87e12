import http from 'node:http'
import https from 'node:https'
import type { Config } from '#agent/config.ts'

const TIMEOUT_MS = 2000

/** Whether an agent with these settings answers on this machine. */
export function isHealthy({ address, port, auth }: Config): Promise<boolean> {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address
  const options = { host, port, path: '/health', agent: false as const, timeout: TIMEOUT_MS }
  return new Promise((resolve) => {
    const answered = ({ statusCode }: http.IncomingMessage) => {
      resolve(statusCode === 200)
      request.destroy()
    }
    const request =
      auth === 'signed'
        ? https.get({ ...options, rejectUnauthorized: false }, answered)
        : http.get(options, answered)
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
    request.on('close', () => resolve(false))
  })
}
