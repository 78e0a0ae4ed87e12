import { appendFileSync, utimesSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

/** In lower case here, and in upper case in every second line that has it. */
export const NEEDLE = '/checkout/order-received'
const BLOCK = 20_000
const ROTATIONS = 8
/** One in so many lines has the needle. */
const RARE = 4001
/** The part of the log that is compressed. */
const ZIPPED = 0.2

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0'

interface Written {
  bytes: number
  needles: number
}

/** A log of nginx and the files of its rotations, oldest first; each begins with another line. */
export function writeLogs(path: string, bytes: number): Written {
  const written: Written = { bytes: 0, needles: 0 }
  let number = 0
  const block = () => {
    const lines = Array.from({ length: BLOCK }, () => lineOf(number++, written))
    const text = Buffer.from(lines.join(''))
    written.bytes += text.length
    return text
  }
  const name = (at: number) => (at === 0 ? path : `${path}.${at}.gz`)
  for (let at = ROTATIONS; at > 0; at -= 1) {
    const parts: Buffer[] = []
    const end = written.bytes + (bytes * ZIPPED) / ROTATIONS
    while (written.bytes < end) parts.push(block())
    writeFileSync(name(at), gzipSync(Buffer.concat(parts), { level: 6 }))
    const time = Date.now() / 1000 - at * 86_400
    utimesSync(name(at), time, time)
  }
  while (written.bytes < bytes) appendFileSync(path, block())
  return written
}

function lineOf(number: number, written: Written): string {
  const isFound = number % RARE === 0
  if (isFound) written.needles += 1
  const page = isFound ? NEEDLE : `/product/coat-${number}`
  const shown = isFound && number % 2 === 0 ? page.toUpperCase() : page
  const time = new Date(Date.UTC(2026, 0, 1) + number * 20).toISOString().slice(11, 19)
  return `203.0.113.${number % 250} - - [01/Jan/2026:${time} +0000] "GET ${shown}/?key=wc_${number} HTTP/2.0" 200 ${number % 50_000} "https://shop.example/?token=${number}" "${AGENT}" HTTP/2.0 0.0${number % 90} 0.0${number % 80} MISS\n`
}
