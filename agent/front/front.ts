import { REQUEST_HEADER } from '#shared/agent.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Clock, Files } from '../host/ports.ts'
import { failureOf, isOpen } from '../http/answer.ts'
import { readBytes } from '../http/body.ts'
import { pathOf } from '../http/path.ts'
import { idOf, inRequest } from '../http/request-id.ts'
import { type Gate, Refused, signedGate } from '../trust/gate.ts'
import { HubTrust } from '../trust/hub.ts'
import { SeenTokens } from '../trust/seen.ts'
import { readNotice } from './notice.ts'
import type { Upstream } from './upstream.ts'

interface FrontDeps {
  gate: Gate
  upstream: Upstream
  report: (error: unknown) => void
}

/**
 * The half of the agent that listens on the network, and that has no privileges: what is too large,
 * too slow or not signed by the dashboard goes no further. What passes is checked again by the other.
 */
export function createFront({ gate, upstream, report }: FrontDeps) {
  const answer = async (request: Request): Promise<Response> => {
    try {
      const open = isOpen(request.method, pathOf(request.url))
      const body = open ? await readBytes(request) : (await gate(request)).body
      return await upstream(request, body)
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof Refused)) report(error)
      return failureOf(error)
    }
  }
  return async (request: Request): Promise<Response> => {
    const id = idOf(request)
    const response = await inRequest(id, () => answer(request))
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

/** The gate of the other half, with a memory of its own: what it has seen there is still unseen. */
export function frontGate({ files, clock, state_dir, run_dir }: FrontGateDeps): Gate {
  const trust = new HubTrust(files, state_dir)
  const seen = new SeenTokens()
  const now = () => Math.floor(clock.now() / 1000)
  const admitted = async () => undefined
  return async (request) => {
    const notice = await readNotice(files, run_dir)
    return signedGate({ ...notice, trust, seen, now, admitted })(request)
  }
}
