import { heapStats } from 'bun:jsc'
import process from 'node:process'

/** Prints the milliseconds that loading a module takes, and the MB of objects after it. */
const begun = performance.now()
await import(process.argv[2] ?? '')
const ms = performance.now() - begun
Bun.gc(true)
console.log(`${ms.toFixed(0)} ${(heapStats().heapSize / 1e6).toFixed(1)}`)
process.exit(0)
