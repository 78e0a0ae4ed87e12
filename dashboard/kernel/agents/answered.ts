import type { ClientRequest, IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { currentRequestId } from '#dashboard/kernel/runtime/request-id.ts'
import { REQUEST_HEADER } from '#shared/kernel/agent-headers.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { NotConnected, refusal } from './answer.ts'
import { readJson } from './read-answer.ts'
import type { RequestTimeout } from './request-timeout.ts'
import type { Call, Transport } from './transport.ts'

const MAX_FAILURE = 64 << 10

/** The answer of a call with 200 or 202; redirects are refused like other answers. */
export async function answered(
  transport: Transport,
  call: Call,
  timeout: RequestTimeout,
): Promise<IncomingMessage> {
  const { request, response: first } = await opened(transport, call, timeout)
  const again = first.statusCode === 401 && transport.learn(first.headers, request)
  if (again) await readJson(first, MAX_FAILURE).catch(() => undefined)
  const response = again ? (await opened(transport, call, timeout)).response : first
  if (response.statusCode === 200 || response.statusCode === 202) return response
  const body = await readJson(response, MAX_FAILURE).catch(() => undefined)
  throw refusal(response.statusCode ?? 0, body, response.headers['retry-after'])
}

/** The agent's log has the id of the request that led to this call. */
function named(call: Call): Call {
  const id = currentRequestId()
  return id ? { ...call, headers: { ...call.headers, [REQUEST_HEADER]: id } } : call
}

interface Opened {
  request: ClientRequest
  response: IncomingMessage
}

async function opened(transport: Transport, call: Call, timeout: RequestTimeout): Promise<Opened> {
  try {
    return await sent(transport, call, timeout)
  } catch (error) {
    throw error instanceof NotConnected ? ((await transport.explain?.(error)) ?? error) : error
  }
}

/** A kept connection may just be closing: a repeatable request is sent again over a new one. */
async function sent(transport: Transport, call: Call, timeout: RequestTimeout): Promise<Opened> {
  const request = transport.open(named(call))
  try {
    return { request, response: await responseTo(request, timeout) }
  } catch (error) {
    if (timeout.over || !request.reusedSocket || !call.isRepeatable) throw error
    const again = transport.open(named(call), true)
    const response = await responseTo(again, timeout).catch((second: unknown) => {
      // The first one may have arrived.
      throw second instanceof NotConnected ? error : second
    })
    return { request: again, response }
  }
}

async function responseTo(
  request: ClientRequest,
  timeout: RequestTimeout,
): Promise<IncomingMessage> {
  let isConnecting = false
  request.once('socket', (socket) => {
    isConnecting = socket.connecting
    // On a socket that is used again the event never comes, and its listener would stay.
    if (!isConnecting) return
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      isConnecting = false
    })
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // A refusal to contact an address is its own reason.
    const isPassedOn = (reason: Error) => !isConnecting || reason instanceof ServiceError
    const fail = (reason: Error) => reject(isPassedOn(reason) ? reason : new NotConnected(reason))
    timeout.guard((reason) => {
      fail(reason)
      request.destroy(reason)
    })
    request.on('error', fail)
    request.on('response', resolve)
  })
  timeout.guard((reason) => response.destroy(reason))
  return response
}
