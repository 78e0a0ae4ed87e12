import type { ChildProcess } from 'node:child_process'
import { closeSync, fstatSync, readFileSync } from 'node:fs'

const EVERY_MS = 1000

type Seen = (bytes: number) => void

/** Reports each second what `count` returns, until the returned function is called. */
export function reportEach(seen: Seen, count: () => number): () => void {
  const timer = setInterval(() => seen(count()), EVERY_MS)
  return () => clearInterval(timer)
}

/** How far a program has read one of these files, or has written the other; closes it at the end. */
export function watchFile(
  child: ChildProcess,
  seen: Seen,
  open: { file?: number | undefined; output?: number | undefined },
): void {
  const { file, output = -1 } = open
  const count = file === undefined ? () => fstatSync(output).size : () => positionIn(file)
  const stop = reportEach(seen, count)
  // A program that cannot be started is closed, too.
  child.once('close', () => {
    stop()
    closeSync(file ?? output)
  })
}

/** Both programs have one position in a file that one of them got open. */
function positionIn(file: number): number {
  const text = readFileSync(`/proc/self/fdinfo/${file}`, 'utf8')
  return Number(/^pos:\s*(\d+)$/m.exec(text)?.[1] ?? 0)
}
