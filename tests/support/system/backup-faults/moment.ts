import type { Host } from '#tests/support/lab/index.ts'

/** Stops the first restic (QEMU runs it where its clock is moved) whose arguments have a text, prints its number, and waits at most a minute. */
const STOP = `while [ $SECONDS -lt 60 ]; do
  for folder in /proc/[0-9]*; do
    read -r name 2>/dev/null < $folder/comm || continue
    case $name in restic|qemu-*) ;; *) continue ;; esac
    tr '\\0' ' ' 2>/dev/null < $folder/cmdline | grep -q -e "$1" || continue
    kill -STOP "\${folder#/proc/}" && echo "\${folder#/proc/}" && exit
  done
  sleep 0.02
done; exit 1`

/**
 * Runs `work`, and `fault` while the restic that `words` describe stands still; it then continues,
 * if it still exists.
 */
export async function during<T>(
  host: Host,
  words: string,
  work: Promise<T>,
  fault: (pid: string) => Promise<unknown>,
): Promise<T> {
  const pid = (await host.must(['bash', '-c', STOP, 'stop', words])).trim()
  await fault(pid)
  await host.exec(['kill', '-CONT', pid])
  return work
}
