import { readFile } from 'node:fs/promises'
import type { Config } from '#agent/kernel/config.ts'
import type { Clock, Files } from '#agent/kernel/host/ports.ts'
import { clock } from '#agent/kernel/host/real/clock.ts'
import { files } from '#agent/kernel/host/real/files.ts'
import { failureOf, isUnauthenticated } from '#agent/kernel/http/answer.ts'
import { MAX_ENROLMENT, readBytes } from '#agent/kernel/http/body.ts'
import type { Origin } from '#agent/kernel/http/listen.ts'
import { pathOf } from '#agent/kernel/http/path.ts'
import { idOf, inRequest } from '#agent/kernel/http/request-id.ts'
import { serveUntilStopped } from '#agent/kernel/http/serve-until-stopped.ts'
import { Unauthenticated } from '#agent/kernel/http/unauthenticated.ts'
import { logError } from '#agent/kernel/log.ts'
import { mayBeOpen, NOT_OPEN } from '#agent/kernel/trust/enrolment.ts'
import { type Gate, signedGate } from '#agent/kernel/trust/gate.ts'
import { readNotice, socketIn } from '#agent/kernel/trust/gate-notice.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import { UsedTokens } from '#agent/kernel/trust/used-tokens.ts'
import { REQUEST_HEADER } from '#shared/kernel/agent-headers.ts'
import { forbidden, ServiceError } from '#shared/kernel/errors.ts'
import { type Upstream, upstreamAt } from './upstream.ts'

/** Runs the half that listens on the network, without privileges; systemd passes it the TLS key. */
export async function front(config: Config): Promise<void> {
  if (!config.credentials) throw new Error('CREDENTIALS_DIRECTORY must hold tls.key and tls.crt')
  const [key, certificate] = await Promise.all(
    ['tls.key', 'tls.crt'].map((name) => readFile(`${config.credentials}/${name}`, 'utf8')),
  )
  const { state_dir, run_dir } = config
  const handler = createFront({
    gate: frontGate({ files, clock, state_dir, run_dir }),
    // Only the time of the file counts: the listening half may not read it.
    enrolling: () => mayBeOpen(files, state_dir, clock.now()),
    upstream: upstreamAt(socketIn(run_dir)),
    report: logError,
  })
  const tls = { key: key ?? '', certificate: certificate ?? '' }
  const { address, port, listen_fd } = config
  await serveUntilStopped(handler, { address, port, listen_fd, tls })
}

interface FrontDeps {
  gate: Gate
  /** Returns whether root may have opened an enrolment: otherwise the body is not read. */
  enrolling: () => Promise<boolean>
  upstream: Upstream
  report: (error: unknown) => void
}

/**
 * Creates the half of the agent that listens on the network without privileges: it refuses requests
 * that are too large, too slow or not signed by the dashboard. The other half checks accepted
 * requests again.
 */
export function createFront({ gate, enrolling, upstream, report }: FrontDeps) {
  const bodyOf = async (request: Request, origin?: Origin): Promise<Uint8Array> => {
    const { method } = request
    if (isUnauthenticated(method, pathOf(request.url))) {
      if (method === 'GET') return new Uint8Array()
      if (!(await enrolling())) throw forbidden(NOT_OPEN)
      return readBytes(request, MAX_ENROLMENT)
    }
    const body = await gate(request)
    origin?.trust()
    return body
  }
  const answer = async (request: Request, origin?: Origin): Promise<Response> => {
    try {
      return await upstream(request, await bodyOf(request, origin))
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof Unauthenticated)) report(error)
      return failureOf(error)
    }
  }
  return async (request: Request, origin?: Origin): Promise<Response> => {
    const id = idOf(request)
    const response = await inRequest(id, () => answer(request, origin))
    response.headers.set(REQUEST_HEADER, id)
    return response
  }
}

interface FrontGateDeps {
  files: Files
  clock: Clock
  state_dir: string
  run_dir: string
}

/** Returns the gate of the other half, with its own memory of used tokens. */
function frontGate({ files, clock, state_dir, run_dir }: FrontGateDeps): Gate {
  const trust = new TrustedDashboard(files, state_dir)
  const seen = new UsedTokens()
  const now = () => Math.floor(clock.now() / 1000)
  const admitted = async () => undefined
  return async (request) => {
    const notice = await readNotice(files, run_dir)
    return signedGate({ ...notice, trust, seen, now, admitted })(request)
  }
}
