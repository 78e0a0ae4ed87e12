import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * The address space in MB that Bun reserves for compiled code, with some to spare, and that
 * RLIMIT_DATA counts. If the limit does not leave it, nothing is compiled and there is no FFI:
 * reading a dump takes seven times as long.
 */
export const COMPILER_MB = 2560

/** Returns the argv of this agent: the executable, or a runtime with the agent's source. */
export function ownProgram(): string[] {
  if (import.meta.url.includes('/$bunfs/')) return [process.execPath]
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url))
  if (!('Deno' in globalThis)) return [process.execPath, main]
  return [process.execPath, 'run', '-A', '--no-remote', '--node-modules-dir=manual', main]
}
