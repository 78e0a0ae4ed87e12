import http from 'node:http'
import https from 'node:https'
import type { Config } from '#agent/kernel/config.ts'

const TIMEOUT_MS = 2000

/**
 * Resolves with true when an agent with these settings answers on this machine. systemd accepts connections
 * for one that does not run, and nobody answers them: the limit includes the TLS handshake, which the
 * `timeout` of node:https does not.
 */
export function isHealthy(
  { address, port, auth }: Pick<Config, 'address' | 'port' | 'auth'>,
  timeout_ms: number = TIMEOUT_MS,
): Promise<boolean> {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address
  const options = { host, port, path: '/health', agent: false as const }
  return new Promise((resolve) => {
    const end = (healthy: boolean) => {
      clearTimeout(timer)
      resolve(healthy)
      request.destroy()
    }
    const answered = ({ statusCode }: http.IncomingMessage) => end(statusCode === 200)
    const request =
      auth === 'signed'
        ? https.get({ ...options, rejectUnauthorized: false }, answered)
        : http.get(options, answered)
    const timer = setTimeout(() => end(false), timeout_ms)
    request.on('error', () => end(false))
    request.on('close', () => end(false))
  })
}
