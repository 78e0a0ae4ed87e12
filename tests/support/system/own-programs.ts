import process from 'node:process'
import { readConfig } from '#agent/kernel/config.ts'
import { pages } from '#agent/kernel/host/real/pages-helper.ts'
import { scan } from '#agent/kernel/scan/serve.ts'
import { mailTry } from '#agent/programs/mail/send-test.ts'
import { mail } from '#agent/programs/mail/serve.ts'
import { rewrite } from '#agent/programs/rewrite/serve.ts'
import { storage } from '#agent/programs/storage/serve.ts'

/**
 * The other programs of an agent, which it and systemd start. Returns for any other name; the queue
 * of the mail continues.
 */
export async function runOwnProgram(name: string | undefined, args: string[]): Promise<void> {
  if (name === 'mail') await mail(readConfig(process.env))
  if (name === 'mail-try') await mailTry(readConfig(process.env), args)
  if (name === 'pages') await pages()
  if (name === 'scan') await scan(args)
  if (name === 'storage') {
    console.log(await storage())
    process.exit(0)
  }
  if (name !== 'rewrite') return
  await rewrite([])
  process.exit(0)
}
