import { readFileSync } from 'node:fs'
import { must } from '#tests/support/lab/run.ts'

/** The priorities and limits of a running program of this machine. */
export async function weightsOf(pid: number) {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')
  const [, fields = ''] = read('stat').split(') ')
  const [, data] = /^Max data size\s+(\d+)/m.exec(read('limits')) ?? []
  const variables = read('environ').split('\0')
  return {
    nice: Number(fields.split(' ')[16]),
    io: (await must(['ionice', '-p', String(pid)])).trim(),
    data: Number(data),
    go: variables.filter((line) => line.startsWith('GO')).sort(),
  }
}
