import { fpmService } from '#agent/os/php/fpm-files.ts'
import { type Bench, PHP, PRODUCT } from './host.ts'

const { unit, processes } = fpmService({ user: 'shop', php: PHP })
const WAKES = 5

/** kB that the processes of a control group map, shared pages divided by their number of users. */
export async function pss({ host }: Bench, group: string): Promise<number> {
  const { stdout } = await host.exec(['cat', group])
  const pids = stdout.split('\n').filter(Boolean)
  if (pids.length === 0) return 0
  const text = await host.must(['cat', ...pids.map((pid) => `/proc/${pid}/smaps_rollup`)])
  return [...text.matchAll(/^Pss: +(\d+) kB$/gm)].reduce((sum, [, kB]) => sum + Number(kB), 0)
}

export const PRODUCT_GROUP = processes
export const HAND_GROUP = `/sys/fs/cgroup/system.slice/php${PHP}-fpm.service/cgroup.procs`

/** As the agent does it for a site without visitors. */
export const putToSleep = ({ host }: Bench) => host.must(['systemctl', 'stop', unit])

/** Milliseconds until the first byte of a page, of a sleeping site and of the same site awake. */
export async function wakes(bench: Bench): Promise<{ asleep: number[]; awake: number[] }> {
  const asleep: number[] = []
  const awake: number[] = []
  for (let left = WAKES; left > 0; left--) {
    await putToSleep(bench)
    asleep.push(await firstByte(bench))
    awake.push(await firstByte(bench))
  }
  return { asleep, awake }
}

async function firstByte({ outside }: Bench): Promise<number> {
  const format = '%{http_code} %{time_starttransfer}'
  const argv = ['curl', '-sk', '-o', '/dev/null', '-w', format, '-H', 'Cookie: edd_bench=1']
  const [status, seconds] = (await outside([...argv, `https://${PRODUCT}/`])).split(' ')
  if (status !== '200') throw new Error(`${PRODUCT} answers ${status}`)
  return Number(seconds) * 1000
}
