import { afterEach, beforeEach } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Each test of the file gets an empty folder of its own, which is removed after it. */
export function eachFolder(use: (path: string) => void): void {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'test-'))
    use(folder)
  })
  afterEach(() => rmSync(folder, { recursive: true }), 60_000)
}
