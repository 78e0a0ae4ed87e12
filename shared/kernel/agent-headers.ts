import { z } from 'zod'

/** The id of a request, on its answer and in calls of agents, so that both logs can be joined. */
export const REQUEST_HEADER = 'x-request-id'
export const RequestId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

/** The id of the operation that a request starts or, if the agent knows the id, attaches to. */
export const OPERATION_HEADER = 'operation-id'
export const OperationId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)
