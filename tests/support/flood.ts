import { connect } from 'node:tls'
import { rawRequest } from './client.ts'

const AT_ONCE = 10

/**
 * Sends the same request repeatedly over one connection, ten at a time, and counts the answers by
 * their status.
 */
export function flood(url: string, lines: readonly string[], times: number) {
  const request = rawRequest('GET', '/metrics', ['Host: x', ...lines])
  const kept = request.replace('Connection: close\r\n', '')
  const counted = new Map<number, number>()
  return new Promise<Map<number, number>>((resolve, reject) => {
    let sent = 0
    let received = 0
    let text = ''
    const more = () => {
      const next = Math.min(AT_ONCE, times - sent)
      sent += next
      socket.write(kept.repeat(next))
    }
    const socket = connect(
      { host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false },
      more,
    )
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`closed after ${received} answers`)))
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      let end = 0
      for (const match of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
        const status = Number(match[1])
        counted.set(status, (counted.get(status) ?? 0) + 1)
        received += 1
        end = match.index + match[0].length
      }
      text = text.slice(Math.max(end, text.length - 11))
      if (received === times) {
        resolve(counted)
        socket.destroy()
      } else if (received === sent) more()
    })
  })
}
