import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** The argv of this agent: the executable, or a runtime with the agent's source. */
export function ownProgram(): string[] {
  if (import.meta.url.includes('/$bunfs/')) return [process.execPath]
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  if (!('Deno' in globalThis)) return [process.execPath, main]
  return [process.execPath, 'run', '-A', '--no-remote', '--node-modules-dir=manual', main]
}
