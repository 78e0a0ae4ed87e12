import { perHost, reading } from '#agent/kernel/calls/reading.ts'
import { toolFileReading, toolReading } from '#shared/database/readings.ts'
import { encodeAnswer, type ToolAnswer } from './answer.ts'
import { DatabaseTool } from './ask.ts'

const tools = perHost((host) => new DatabaseTool(host))

const contentOf = (answered: ToolAnswer) => ({
  type: 'application/octet-stream',
  content: encodeAnswer(answered),
})

export const tool = reading(toolReading, async ({ host, params }) =>
  contentOf(await tools(host).ask(params)),
)

export const toolFile = reading(toolFileReading, async ({ host, params }) =>
  contentOf(await tools(host).file(params)),
)
