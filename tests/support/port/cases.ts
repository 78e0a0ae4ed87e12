import type { Host } from '#agent/kernel/host/ports.ts'
import type { Case } from './case.ts'
import { DATABASE } from './database.ts'
import { FILES } from './files.ts'
import { PROGRAMS } from './programs.ts'

const REST: Case[] = [
  {
    title: 'time passes, and chance keeps to its letters',
    async act({ clock, random }: Host) {
      const began = clock.elapsed()
      await clock.sleep(20)
      return [
        clock.elapsed() - began >= 19,
        /^[A-Za-z0-9]{24}$/.test(random.text(24)),
        /^[a-z][a-z0-9]{7}$/.test(random.name(8)),
        [0, 1, 2].includes(random.integer(3)),
      ]
    },
    answer: [true, true, true, true],
  },
  {
    title: 'a disk has room',
    async act({ files }: Host) {
      const { free, total } = await files.space('/var')
      return free > 0 && free <= total
    },
    answer: true,
  },
]

/** The behaviour of the ports: the same on a simulated machine and on a real one. */
export const CASES: readonly Case[] = [...FILES, ...PROGRAMS, ...DATABASE, ...REST]
