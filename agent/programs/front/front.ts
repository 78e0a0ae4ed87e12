import type { Clock, Files } from '#agent/kernel/host/ports.ts'
import { failureOf, isOpen } from '#agent/kernel/http/answer.ts'
import { MAX_ENROLMENT, readBytes } from '#agent/kernel/http/body.ts'
import type { Origin } from '#agent/kernel/http/listen.ts'
import { pathOf } from '#agent/kernel/http/path.ts'
import { Refused } from '#agent/kernel/http/refused.ts'
import { idOf, inRequest } from '#agent/kernel/http/request-id.ts'
import { NOT_OPEN } from '#agent/kernel/trust/enrolment.ts'
import { type Gate, signedGate } from '#agent/kernel/trust/gate.ts'
import { readNotice } from '#agent/kernel/trust/notice.ts'
import { SeenTokens } from '#agent/kernel/trust/seen.ts'
import { TrustedDashboard } from '#agent/kernel/trust/trusted-dashboard.ts'
import { REQUEST_HEADER } from '#shared/kernel/agent-headers.ts'
import { forbidden, ServiceError } from '#shared/kernel/errors.ts'
import type { Upstream } from './upstream.ts'

interface FrontDeps {
  gate: Gate
  /** Whether root may have opened an enrolment: otherwise the body is not read. */
  enrolling: () => Promise<boolean>
  upstream: Upstream
  report: (error: unknown) => void
}

/**
 * The half of the agent that listens on the network without privileges: it refuses requests that are too
 * large, too slow or not signed by the dashboard. The other half checks accepted requests again.
 */
export function createFront({ gate, enrolling, upstream, report }: FrontDeps) {
  const bodyOf = async (request: Request, origin?: Origin): Promise<Uint8Array> => {
    const { method } = request
    if (isOpen(method, pathOf(request.url))) {
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
      if (!(error instanceof ServiceError || error instanceof Refused)) report(error)
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

/** The gate of the other half, with its own memory of used tokens. */
export function frontGate({ files, clock, state_dir, run_dir }: FrontGateDeps): Gate {
  const trust = new TrustedDashboard(files, state_dir)
  const seen = new SeenTokens()
  const now = () => Math.floor(clock.now() / 1000)
  const admitted = async () => undefined
  return async (request) => {
    const notice = await readNotice(files, run_dir)
    return signedGate({ ...notice, trust, seen, now, admitted })(request)
  }
}
