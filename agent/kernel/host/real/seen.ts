import type { ChildProcess } from 'node:child_process'
import { closeSync, fstatSync, readFileSync } from 'node:fs'
import type { RunOptions } from '#agent/kernel/host/ports.ts'

const EVERY_MS = 1000

type Seeing = Pick<RunOptions, 'seen' | 'seen_ms'>

/** Reports each second what `count` returns, until the returned function is called. */
export function reportEach({ seen, seen_ms = EVERY_MS }: Seeing, count: () => number): () => void {
  const timer = setInterval(() => seen?.(count()), seen_ms)
  return () => clearInterval(timer)
}

/** How far a program has read one of these files, or has written the other; closes it at the end. */
export function watchFile(
  child: ChildProcess,
  seeing: Seeing,
  open: { file?: number | undefined; output?: number | undefined },
): void {
  const { file, output = -1 } = open
  const count = file === undefined ? () => fstatSync(output).size : () => positionIn(file)
  const stop = reportEach(seeing, count)
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
