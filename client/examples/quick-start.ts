import { store } from "@iga-pages/agent/store";

export async function createExample() {
  // 1. 新建一个会话，可顺带写入标题等元数据
  const conversation = await store.createConversation({
    metadata: { title: "我的第一段对话" },
  });
  const { conversationId } = conversation;

  // 2. 向该会话追加一条消息，正文结构由您的应用自定义
  await store.appendMessage({
    conversationId,
    role: "user",
    payload: { text: "你好" },
  });

  // 3. 读取历史消息
  const page = await store.listMessages({ conversationId });
  return { conversationId, messages: page.items };
}
