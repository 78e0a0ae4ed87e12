import { readFile } from 'node:fs/promises'
import type { Config } from '#agent/kernel/config.ts'
import { clock } from '#agent/kernel/host/real/clock.ts'
import { files } from '#agent/kernel/host/real/files.ts'
import { answer } from '#agent/kernel/http/until-stopped.ts'
import { logError } from '#agent/kernel/log.ts'
import { mayBeOpen } from '#agent/kernel/trust/enrolment.ts'
import { socketIn } from '#agent/kernel/trust/notice.ts'
import { createFront, frontGate } from './front.ts'
import { upstreamAt } from './upstream.ts'

/** The half that listens on the network, without privileges; systemd passes it the TLS key. */
export async function front(config: Config): Promise<void> {
  if (!config.credentials) throw new Error('CREDENTIALS_DIRECTORY must hold tls.key and tls.crt')
  const [key, certificate] = await Promise.all(
    ['tls.key', 'tls.crt'].map((name) => readFile(`${config.credentials}/${name}`, 'utf8')),
  )
  const { state_dir, run_dir } = config
  const handler = createFront({
    gate: frontGate({ files, clock, state_dir, run_dir }),
    // By the time of the file alone: the listening half may not read it.
    enrolling: () => mayBeOpen(files, state_dir, clock.now()),
    upstream: upstreamAt(socketIn(run_dir)),
    report: logError,
  })
  const tls = { key: key ?? '', certificate: certificate ?? '' }
  const { address, port, listen_fd } = config
  await answer(handler, { address, port, listen_fd, tls })
}
