// Pages opened from a folder may start no Worker. There, the search runs in a hidden frame that
// is given the same two doors: messages to it and messages from it.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super()
      const url = new URL(address, document.baseURI).href
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.room = frame.contentWindow
      this.room.postMessage = (data) =>
        this.dispatchEvent(new MessageEvent("message", { data }))
      const script = frame.contentDocument.createElement("script")
      script.src = url
      this.ready = new Promise((done) => (script.onload = done))
      frame.contentDocument.body.append(script)
    }

    async postMessage(data) {
      await this.ready
      this.room.dispatchEvent(new MessageEvent("message", { data }))
    }
  }
}
